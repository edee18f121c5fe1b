package anaf

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/county"
	"github.com/rodata/rodata/internal/spelling"
)

// seat is the address of the registered office. domicile has the same fields under other names, so that each type
// converts to the other.
type seat struct {
	Street     text `json:"sdenumire_Strada"`
	Number     text `json:"snumar_Strada"`
	Details    text `json:"sdetalii_Adresa"`
	Place      text `json:"sdenumire_Localitate"`
	PlaceCode  text `json:"scod_Localitate"`
	County     text `json:"sdenumire_Judet"`
	CountyCode text `json:"scod_Judet"`
	Plate      text `json:"scod_JudetAuto"`
	PostalCode text `json:"scod_Postal"`
	Country    text `json:"stara"`
}

type domicile struct {
	Street     text `json:"ddenumire_Strada"`
	Number     text `json:"dnumar_Strada"`
	Details    text `json:"ddetalii_Adresa"`
	Place      text `json:"ddenumire_Localitate"`
	PlaceCode  text `json:"dcod_Localitate"`
	County     text `json:"ddenumire_Judet"`
	CountyCode text `json:"dcod_Judet"`
	Plate      text `json:"dcod_JudetAuto"`
	PostalCode text `json:"dcod_Postal"`
	Country    text `json:"dtara"`
}

// Resolver finds a place from a county number (1 to 40, 51, 52), the tax authority's own code within the county, and a
// name such as "Sat Lerești Com. Lerești". It returns the official name and the SIRUTA code.
type Resolver func(county, anafCode int, name string) (place string, siruta int, ok bool)

// toAPI returns the address in parts. It returns nil if the register gives none of them.
func (s seat) toAPI(resolve Resolver) *company.StructuredAddress {
	if s == (seat{}) {
		return nil
	}

	a := &company.StructuredAddress{
		Street:  optional(s.Street),
		Number:  optional(s.Number),
		Details: optional(s.Details),
		Country: optional(s.Country),
	}
	if a.Country != nil && spelling.Fold(*a.Country) == "romania" {
		a.Country = nil
	}

	a.PostalCode = postalCode(s.PostalCode, a.Country)
	c := findCounty(s.County, s.Plate, s.CountyCode)
	if c.Name != "" {
		a.County = new(strings.ToUpper(c.Name))
	}
	if c.Plate != "" {
		a.CountyCode, a.SubEntity = new(c.Plate), new("RO-"+c.Plate)
	}

	s.locate(a, c, resolve)
	if *a == (company.StructuredAddress{}) {
		return nil
	}

	return a
}

// locate fills in the place, which the resolver finds by its name.
func (s seat) locate(a *company.StructuredAddress, c county.County, resolve Resolver) {
	name := clean(s.Place)
	city := placeName(name, c)
	if city == "" && c.Plate == county.Bucharest {
		city = capital
	}
	if city == "" {
		return
	}

	if resolve != nil && c.Number != 0 {
		code, _ := strconv.Atoi(clean(s.PlaceCode))
		if place, siruta, ok := resolve(c.Number, code, name); ok {
			a.SIRUTA = &siruta
			if county.Sector(city) == "" {
				city = clean(text(place))
			}
		}
	}

	a.City = &city
	number := county.Sector(city)
	switch {
	case c.Plate == "": // abroad
	case c.Plate != county.Bucharest:
		a.EInvoice = &city
	case number != "": // e-Factura requires the sector instead of the city's name
		a.EInvoice = new("SECTOR" + number)
	}
}

// The register writes the kind of a place before its name, and the surrounding place after it: "Sat Lerești Com.
// Lerești", "Sector 3 Mun. București".
var (
	placeKind = regexp.MustCompile(`(?i)^(?:municipiul|mun|ora[sș]ul|ora[sș]|or[sș]?|comuna|com|satul|sat|localitatea|loc)(?:\. ?| )(?:comp(?:onent[aă]?|\.) )?`)
	ownedBy   = regexp.MustCompile(`(?i),? (?:municipiul|mun|ora[sș]ul|ora[sș]|or[sș]?|comuna|com|jude[tț]ul|jud)(?:\. ?| ).*$`)
)

// placeName returns the display name of a place: "Lerești", "Sector 3", "Cluj-Napoca".
func placeName(name string, c county.County) string {
	if c.Plate == county.Bucharest {
		if n := county.Sector(name); n != "" {
			return "Sector " + n
		}
	}

	name = placeKind.ReplaceAllString(name, "")
	name = strings.Trim(ownedBy.ReplaceAllString(name, ""), " ,.-")
	if strings.ContainsFunc(name, unicode.IsLower) {
		return name
	}

	return titleCase(name)
}

// smallWords stay in lower case within the name of a place.
var smallWords = map[string]bool{
	"de": true, "din": true, "la": true, "cu": true, "sub": true, "pe": true, "lui": true, "cel": true, "și": true,
}

// titleCase converts a place name from upper case to title case, as in CLUJ-NAPOCA or CURTEA DE ARGEȘ.
func titleCase(s string) string {
	names := strings.Split(strings.ToLower(s), " ")
	for i, name := range names {
		if i > 0 && smallWords[name] {
			continue
		}

		parts := strings.Split(name, "-")
		for j, part := range parts {
			if first, size := utf8.DecodeRuneInString(part); size > 0 && (j == 0 || !smallWords[part]) {
				parts[j] = string(unicode.ToUpper(first)) + part[size:]
			}
		}

		names[i] = strings.Join(parts, "-")
	}

	return strings.Join(names, " ")
}

// capital is the place of an address in Bucharest without a sector.
const capital = "București"

// findCounty finds a county by its name. For an unknown name it uses the plate code and the number, if they agree or
// only one is given. For an address abroad, it returns a county without codes.
func findCounty(name, plate, code text) county.County {
	given := clean(name)
	if c, ok := county.Parse(given); ok && len(given) > 2 { // abroad, CT is Connecticut
		return c
	}

	number, _ := strconv.Atoi(clean(code))
	byPlate, plateKnown := countyWhere(func(c county.County) bool { return c.Plate == strings.ToUpper(clean(plate)) })
	byNumber, numberKnown := countyWhere(func(c county.County) bool { return c.Number == number })
	switch {
	case plateKnown && byPlate == byNumber, plateKnown && !numberKnown && given == "":
		return byPlate
	case numberKnown && !plateKnown && given == "":
		return byNumber
	}

	return county.County{Name: given}
}

func countyWhere(fits func(county.County) bool) (county.County, bool) {
	if i := slices.IndexFunc(county.All, fits); i >= 0 {
		return county.All[i], true
	}
	return county.County{}, false
}
