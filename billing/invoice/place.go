package invoice

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// county is one of the 41 counties, or Bucharest. Its ISO 3166-2 code is RO- followed by the plate code.
type county struct {
	plate string
	name  string // folded
	post  string // first two digits of its postal codes; Bucharest has 01 to 06
}

const bucharest = "B"

var counties = []county{
	{"AB", "ALBA", "51"}, {"AG", "ARGES", "11"}, {"AR", "ARAD", "31"}, {bucharest, "BUCURESTI", ""},
	{"BC", "BACAU", "60"}, {"BH", "BIHOR", "41"},
	{"BN", "BISTRITA NASAUD", "42"}, {"BR", "BRAILA", "81"}, {"BT", "BOTOSANI", "71"}, {"BV", "BRASOV", "50"},
	{"BZ", "BUZAU", "12"},
	{"CJ", "CLUJ", "40"}, {"CL", "CALARASI", "91"}, {"CS", "CARAS SEVERIN", "32"}, {"CT", "CONSTANTA", "90"},
	{"CV", "COVASNA", "52"},
	{"DB", "DAMBOVITA", "13"}, {"DJ", "DOLJ", "20"}, {"GJ", "GORJ", "21"}, {"GL", "GALATI", "80"},
	{"GR", "GIURGIU", "08"},
	{"HD", "HUNEDOARA", "33"}, {"HR", "HARGHITA", "53"}, {"IF", "ILFOV", "07"}, {"IL", "IALOMITA", "92"},
	{"IS", "IASI", "70"},
	{"MH", "MEHEDINTI", "22"}, {"MM", "MARAMURES", "43"}, {"MS", "MURES", "54"}, {"NT", "NEAMT", "61"},
	{"OT", "OLT", "23"},
	{"PH", "PRAHOVA", "10"}, {"SB", "SIBIU", "55"}, {"SJ", "SALAJ", "45"}, {"SM", "SATU MARE", "44"},
	{"SV", "SUCEAVA", "72"},
	{"TL", "TULCEA", "82"}, {"TM", "TIMIS", "30"}, {"TR", "TELEORMAN", "14"}, {"VL", "VALCEA", "24"},
	{"VN", "VRANCEA", "62"}, {"VS", "VASLUI", "73"},
}

var (
	sectorName   = regexp.MustCompile(`\bSECT(?:OR|ORUL)?[. ]*([1-6])\b`)
	sectorPost   = regexp.MustCompile(`^0([1-6])[0-9]{4}$`)
	romanianPost = regexp.MustCompile(`^[0-9]{6}$`)
)

// normalise converts the address to the form that RO e-Factura requires. In Romania the county becomes its plate code,
// from any spelling or from the postal code, and the city of Bucharest becomes one of its sectors.
func (a Address) normalise() (Address, error) {
	for _, text := range []*string{&a.Street, &a.City, &a.County, &a.PostalCode} {
		*text = strings.Join(strings.Fields(*text), " ")
	}

	switch {
	case a.Street == "":
		return a, errors.New("it has no street")
	case a.City == "":
		return a, errors.New("it has no city")
	case a.Country != romania:
		return a, nil
	}

	plate, ok := a.county()
	if !ok {
		return a, fmt.Errorf("%q is not a county of Romania; give its name or plate code, such as Cluj or CJ", a.County)
	}

	a.County = plate
	if plate != bucharest {
		return a, nil
	}

	sector := a.sector()
	if sector == "" {
		return a, fmt.Errorf("%q, %q names no sector of Bucharest; add it to the city, such as Sector 3", a.Street,
			a.City)
	}

	a.City = "SECTOR" + sector
	return a, nil
}

func (a Address) county() (plate string, ok bool) {
	given := fold(a.County)
	for _, prefix := range []string{"RO ", "JUDETUL ", "JUD ", "MUNICIPIUL "} {
		given = strings.TrimPrefix(given, prefix)
	}

	for _, c := range counties {
		switch {
		case given != "" && (given == c.plate || given == c.name):
			return c.plate, true
		case given == "" && c.post != "" && romanianPost.MatchString(a.PostalCode) &&
			strings.HasPrefix(a.PostalCode, c.post):
			return c.plate, true
		}
	}

	if given == "" && (fold(a.City) == "BUCURESTI" || a.sector() != "") {
		return bucharest, true
	}

	return "", false
}

// sector returns the number of Bucharest's sector in the address. If the address names none, it returns the sector with
// the address's postal code.
func (a Address) sector() string {
	for _, text := range []string{a.City, a.Street} {
		if found := sectorName.FindStringSubmatch(fold(text)); found != nil {
			return found[1]
		}
	}

	if found := sectorPost.FindStringSubmatch(a.PostalCode); found != nil {
		return found[1]
	}
	return ""
}

// Place returns the city in its usual spelling. For the sectors of Bucharest, that is București.
func (a Address) Place() string {
	if sector, ok := strings.CutPrefix(a.City, "SECTOR"); ok && a.Country == romania {
		return "București, Sector " + sector
	}
	return a.City
}

var plainLetters = strings.NewReplacer("Ă", "A", "Â", "A", "Î", "I", "Ș", "S", "Ş", "S", "Ț", "T", "Ţ", "T", "-", " ",
	".", " ")

// fold normalises case, diacritics, hyphens and spaces for comparison.
func fold(text string) string {
	return strings.Join(strings.Fields(plainLetters.Replace(strings.ToUpper(text))), " ")
}
