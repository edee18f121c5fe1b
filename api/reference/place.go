package reference

import (
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// Gazetteer is the counties and places of Romania.
type Gazetteer interface {
	// County returns the id of a county by reference. If there is no such county, the id is 0 and nearest is the most
	// similar name; nearest is empty if the reference is a number.
	County(CountyRef) (id int, nearest string)
	// Town returns the official name of a place in a county, or anywhere if the county is 0. If there is no such place,
	// name is empty and nearest is a similar name, if there is one.
	Town(county int, text string) (name, nearest string)
	// Counties returns one page of the counties that match a query, and their number.
	Counties(CountyQuery) (page []County, total int)
	// Places returns one page of the places that match a query, and their number. Unknown counties have no places.
	Places(PlaceQuery) (page []Place, total int)
}

// County is one of the 41 counties (județe), or București.
type County struct {
	ID         int    `json:"id" doc:"Official number of the county: 1 to 40, 51, 52."`
	Name       string `json:"name" doc:"Name in upper case, as in company data."`
	Slug       string `json:"slug" doc:"Name for URLs: lower case, no diacritics, hyphens."`
	Code       string `json:"code" doc:"Plate code: CJ; B for București."`
	ANAFCode   int    `json:"anafCode" doc:"The tax authority's code, equal to the id."`
	SIRUTACode int    `json:"sirutaCode" doc:"SIRUTA code of the county."`
}

// Place is a locality. A town and its seat are one place.
type Place struct {
	ID         int       `json:"id" doc:"SIRUTA code of the place."`
	Name       string    `json:"name" doc:"Name with diacritics."`
	Slug       string    `json:"slug" doc:"Name for URLs: lower case, no diacritics, hyphens."`
	Type       PlaceType `json:"type" doc:"Kind of place; a settlement that belongs to a municipality or town is a village."`
	CountyID   int       `json:"countyId" doc:"Official number of the county."`
	CountyName string    `json:"countyName" doc:"County in upper case."`
	CountyCode string    `json:"countyCode" doc:"Plate code of the county."`
	ANAFCode   *int      `json:"anafCode" doc:"The tax authority's code, unique within the county, except that a commune and its seat may share one; null if it has none."`
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
func (PlaceType) Schema() jsonschema.Schema {
	return jsonschema.Enum(Municipality, Town, Commune, Village, Sector)
}

// PlaceID is the official number of a county, or the SIRUTA code of a place.
type PlaceID int

// UnmarshalText parses a positive whole number of at most six digits.
func (id *PlaceID) UnmarshalText(text []byte) (err error) {
	*id, err = op.WholeNumber[PlaceID](text, 1, 999_999)
	return err
}

// Schema describes the format of an id.
func (PlaceID) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: `^[1-9]\d{0,5}$`}
}

// CountyRef is a reference to a county: its name, plate code or official number, in any case and with or without
// diacritics, as Cluj, CJ or 12. The empty string is an absent parameter.
type CountyRef string

// UnmarshalText rejects a blank text.
func (c *CountyRef) UnmarshalText(text []byte) error { return (*op.Text)(c).UnmarshalText(text) }

// Schema describes the format of the reference.
func (CountyRef) Schema() jsonschema.Schema { return op.Text("").Schema() }

// TownOf returns the official name of a town. A county of 0 stands for the whole country.
func TownOf(g Gazetteer, county int, text op.Text) (string, error) {
	name, nearest := g.Town(county, string(text))
	if name != "" {
		return name, nil
	}

	where := ""
	if county != 0 {
		where = " in the county"
	}

	return "", problem.Invalid(&problem.InputError{
		Parameter: "city", Code: problem.NoSuchValue, Received: problem.Excerpt(string(text)), Suggestion: nearest,
		Accepted: "the name of a municipality, town, commune or village" + where + ", or a sector of Bucharest",
		Reason:   "there is no place " + problem.Quoted(string(text)) + where + "; search_cities lists places",
	})
}

// CountyOf returns the number of the referenced county.
func CountyOf(g Gazetteer, ref CountyRef) (int, error) {
	id, nearest := g.County(ref)
	if id != 0 {
		return id, nil
	}

	e := &problem.InputError{
		Parameter: "county", Code: problem.NoSuchValue, Received: problem.Excerpt(string(ref)),
		Accepted: "the name, plate code or number (1 to 40, 51, 52) of a county, such as Cluj, CJ or 12",
		Reason:   "there is no county " + problem.Quoted(string(ref)), Suggestion: nearest,
	}
	if nearest == "" {
		e.Reason += "; accepted is " + e.Accepted
	}

	return 0, problem.Invalid(e)
}
