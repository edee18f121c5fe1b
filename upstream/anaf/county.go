package anaf

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/internal/county"
)

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
