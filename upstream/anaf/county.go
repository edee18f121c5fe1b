package anaf

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/internal/spelling"
)

// county is one of the 42 counties, including Bucharest.
type county struct {
	number int    // at the tax authority and the trade register
	plate  string // code on number plates; "RO-" before it gives ISO 3166-2
	name   string // in upper case
}

// bucharest is the plate code of the capital. Its places are sectors.
const bucharest = "B"

var counties = []county{
	{1, "AB", "ALBA"}, {2, "AR", "ARAD"}, {3, "AG", "ARGEȘ"}, {4, "BC", "BACĂU"}, {5, "BH", "BIHOR"},
	{6, "BN", "BISTRIȚA-NĂSĂUD"}, {7, "BT", "BOTOȘANI"}, {8, "BV", "BRAȘOV"}, {9, "BR", "BRĂILA"}, {10, "BZ", "BUZĂU"},
	{11, "CS", "CARAȘ-SEVERIN"}, {12, "CJ", "CLUJ"}, {13, "CT", "CONSTANȚA"}, {14, "CV", "COVASNA"},
	{15, "DB", "DÂMBOVIȚA"}, {16, "DJ", "DOLJ"}, {17, "GL", "GALAȚI"}, {18, "GJ", "GORJ"}, {19, "HR", "HARGHITA"},
	{20, "HD", "HUNEDOARA"},
	{21, "IL", "IALOMIȚA"}, {22, "IS", "IAȘI"}, {23, "IF", "ILFOV"}, {24, "MM", "MARAMUREȘ"}, {25, "MH", "MEHEDINȚI"},
	{26, "MS", "MUREȘ"}, {27, "NT", "NEAMȚ"}, {28, "OT", "OLT"}, {29, "PH", "PRAHOVA"}, {30, "SM", "SATU MARE"},
	{31, "SJ", "SĂLAJ"}, {32, "SB", "SIBIU"}, {33, "SV", "SUCEAVA"}, {34, "TR", "TELEORMAN"}, {35, "TM", "TIMIȘ"},
	{36, "TL", "TULCEA"}, {37, "VS", "VASLUI"}, {38, "VL", "VÂLCEA"}, {39, "VN", "VRANCEA"},
	{40, bucharest, "BUCUREȘTI"},
	{51, "CL", "CĂLĂRAȘI"}, {52, "GR", "GIURGIU"},
}

// findCounty finds a county by its name. For an unknown name it uses the plate code and the number, if they agree or
// only one is given. For an address abroad, it returns a county without codes.
func findCounty(name, plate, code text) county {
	given := spelling.Fold(clean(name))
	for _, prefix := range []string{"municipiul ", "judetul ", "mun ", "jud "} {
		given = strings.TrimPrefix(given, prefix)
	}

	if c, ok := countyWhere(func(c county) bool { return spelling.Fold(c.name) == given }); ok {
		return c
	}

	number, _ := strconv.Atoi(clean(code))
	byPlate, plateKnown := countyWhere(func(c county) bool { return c.plate == strings.ToUpper(clean(plate)) })
	byNumber, numberKnown := countyWhere(func(c county) bool { return c.number == number })
	switch {
	case plateKnown && byPlate == byNumber, plateKnown && !numberKnown && given == "":
		return byPlate
	case numberKnown && !plateKnown && given == "":
		return byNumber
	}

	return county{name: strings.ToUpper(clean(name))}
}

func countyWhere(fits func(county) bool) (county, bool) {
	if i := slices.IndexFunc(counties, fits); i >= 0 {
		return counties[i], true
	}
	return county{}, false
}
