package api

import (
	"errors"
	"strconv"
	"strings"
)

// Gazetteer is the counties and places of Romania.
type Gazetteer interface {
	// County is the id of a county that is named by id or plate code; false when
	// there is none.
	County(CountyRef) (id int, ok bool)
	// CountyNamed is the county that a text names, by name, plate code or number;
	// 0 when there is none, and then nearest is the name most like the text.
	CountyNamed(text string) (id int, nearest string)
	// Counties is one page of the counties that a query describes, and their number.
	Counties(CountyQuery) (page []County, total int)
	// Places is one page of the places that a query describes, and their number.
	// Counties that do not exist have no places.
	Places(PlaceQuery) (page []Place, total int)
}

// County is one of the 41 counties (județe), or București.
type County struct {
	ID         int    `json:"id" doc:"Official number of the county: 1 to 40, 51, 52."`
	Name       string `json:"name" doc:"Name in upper case, as company data has it."`
	Slug       string `json:"slug" doc:"Name for addresses: lower case, no diacritics, hyphens."`
	Code       string `json:"code" doc:"Plate code: CJ; B for București."`
	ANAFCode   int    `json:"anafCode" doc:"The tax authority's code, equal to the id."`
	SIRUTACode int    `json:"sirutaCode" doc:"SIRUTA code of the county."`
}

// Place is a locality. A town and the settlement that is its seat are one place.
type Place struct {
	ID         int       `json:"id" doc:"SIRUTA code of the place."`
	Name       string    `json:"name" doc:"Name with diacritics."`
	Slug       string    `json:"slug" doc:"Name for addresses: lower case, no diacritics, hyphens."`
	Type       PlaceType `json:"type" doc:"Kind of place; a settlement that belongs to a municipality or town is a village."`
	CountyID   int       `json:"countyId" doc:"Official number of the county."`
	CountyName string    `json:"countyName" doc:"County in upper case."`
	CountyCode string    `json:"countyCode" doc:"Plate code of the county."`
	ANAFCode   *int      `json:"anafCode" doc:"The tax authority's code, unique within the county save that a commune may share that of its seat; null where it has none."`
	SIRUTACode int       `json:"sirutaCode" doc:"SIRUTA code of the place."`
}

// PlaceType is a kind of place.
type PlaceType string

// The kinds of places.
const (
	Municipality PlaceType = "municipality"
	Town         PlaceType = "town"
	Commune      PlaceType = "commune"
	Village      PlaceType = "village"
	Sector       PlaceType = "sector"
)

// Schema lists the kinds.
func (PlaceType) Schema() Schema {
	return Schema{Type: "string", Enum: []string{string(Municipality), string(Town), string(Commune), string(Village), string(Sector)}}
}

// PlaceID is the number of a county or the SIRUTA code of a place.
type PlaceID int

// UnmarshalText reads a positive whole number of at most six digits.
func (id *PlaceID) UnmarshalText(text []byte) error {
	n, ok := count(text, 6)
	if !ok || n == 0 {
		return errors.New("an id is a whole number from 1 to 999999")
	}
	*id = PlaceID(n)
	return nil
}

// Schema describes the form of an id.
func (PlaceID) Schema() Schema { return Schema{Type: "string", Pattern: `^[1-9]\d{0,5}$`} }

// CountyRef names a county by its official number or by its plate code in upper
// case, whichever was given.
type CountyRef struct {
	ID   int
	Code string
}

func (c CountyRef) String() string {
	if c.Code != "" {
		return c.Code
	}
	return strconv.Itoa(c.ID)
}

// UnmarshalText reads one or two digits, or letters in any case.
func (c *CountyRef) UnmarshalText(text []byte) error {
	code := strings.ToUpper(string(text))
	n, ok := count(text, 2)
	switch {
	case ok:
		*c = CountyRef{ID: n}
	case len(code) <= 2 && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "":
		*c = CountyRef{Code: code}
	default:
		return errCounty
	}
	return nil
}

var errCounty = errors.New("a county is given by its number (1 to 40, 51, 52) or its plate code, as 12 or CJ")

// Schema describes the form of the reference.
func (CountyRef) Schema() Schema {
	return Schema{Type: "string", Pattern: `^([1-9]\d?|[A-Za-z]{1,2})$`}
}
