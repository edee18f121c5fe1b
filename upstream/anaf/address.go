package anaf

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/internal/spelling"
)

// seat is the address of the registered seat. domicile has the same fields under other names, so that each type
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

// structured returns the address in parts. It returns nil if the register gives none of them.
func (s seat) structured(resolve Resolver) *api.StructuredAddress {
	if s == (seat{}) {
		return nil
	}

	a := &api.StructuredAddress{
		Street:     optional(s.Street),
		Number:     optional(s.Number),
		Details:    optional(s.Details),
		PostalCode: digits(s.PostalCode, 6),
		Country:    optional(s.Country),
	}
	if a.Country != nil && spelling.Fold(*a.Country) == "romania" {
		a.Country = nil
	}

	c := findCounty(s.County, s.Plate, s.CountyCode)
	if c.name != "" {
		a.County = &c.name
	}
	if c.plate != "" {
		a.CountyCode, a.SubEntity = new(c.plate), new("RO-"+c.plate)
	}

	s.locate(a, c, resolve)
	if *a == (api.StructuredAddress{}) {
		return nil
	}

	return a
}

// locate fills in the place. It uses the nomenclature's place for the register's own code only if that place agrees
// with the name, because some codes have had more than one meaning.
func (s seat) locate(a *api.StructuredAddress, c county, resolve Resolver) {
	name := clean(s.Place)
	city := placeName(name, c)
	if city == "" {
		return
	}

	if resolve != nil && c.number != 0 {
		code, _ := strconv.Atoi(clean(s.PlaceCode))
		if place, siruta, ok := resolve(c.number, code, name); ok && samePlace(place, city) {
			a.SIRUTA = &siruta
			if !sector.MatchString(city) {
				city = clean(text(place))
			}
		}
	}

	a.City = &city
	number := sector.FindStringSubmatch(city)
	switch {
	case c.plate == "": // abroad
	case c.plate != bucharest:
		a.EInvoice = &city
	case number != nil: // e-Factura requires the sector instead of the city's name
		a.EInvoice = new("SECTOR" + number[1])
	}
}

func samePlace(a, b string) bool {
	plain := func(name string) string { return strings.Replace(spelling.Fold(name), "sectorul ", "sector ", 1) }
	return plain(a) == plain(b)
}

// The register writes the kind of a place before its name, and the surrounding place after it: "Sat Lerești Com.
// Lerești", "Sector 3 Mun. București".
var (
	sector    = regexp.MustCompile(`(?i)\bsect(?:or(?:ul)?)?\.? ?([1-6])\b`)
	placeKind = regexp.MustCompile(`(?i)^(?:municipiul|mun|ora[sș]ul|ora[sș]|or[sș]?|comuna|com|satul|sat|localitatea|loc)(?:\. ?| )(?:comp(?:onent[aă]?|\.) )?`)
	ownedBy   = regexp.MustCompile(`(?i),? (?:municipiul|mun|ora[sș]ul|ora[sș]|or[sș]?|comuna|com|jude[tț]ul|jud)(?:\. ?| ).*$`)
)

// placeName returns the display name of a place: "Lerești", "Sector 3", "Cluj-Napoca".
func placeName(name string, c county) string {
	if c.plate == bucharest {
		if n := sector.FindStringSubmatch(name); n != nil {
			return "Sector " + n[1]
		}
	}

	name = placeKind.ReplaceAllString(name, "")
	name = strings.Trim(ownedBy.ReplaceAllString(name, ""), " ,.-")
	if strings.ContainsFunc(name, unicode.IsLower) {
		return name
	}

	return capitalized(name)
}

// smallWords stay in lower case within the name of a place.
var smallWords = map[string]bool{
	"de": true, "din": true, "la": true, "cu": true, "sub": true, "pe": true, "lui": true, "cel": true, "și": true,
}

// capitalized converts a place name from upper case to title case, as in CLUJ-NAPOCA or CURTEA DE ARGEȘ.
func capitalized(s string) string {
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
