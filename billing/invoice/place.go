package invoice

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/rodata/rodata/internal/county"
)

var (
	sectorPost    = regexp.MustCompile(`^0([1-6])[0-9]{4}$`)
	romanianPost  = regexp.MustCompile(`^[0-9]{6}$`)
	shortenedPost = regexp.MustCompile(`^[0-9]{5}$`) // by a spreadsheet, which removes the zero at the beginning
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

	if shortenedPost.MatchString(a.PostalCode) {
		a.PostalCode = "0" + a.PostalCode
	}

	c, ok := a.county()
	if !ok {
		return a, fmt.Errorf("%q is not a county of Romania; give its name or plate code, such as Cluj or CJ", a.County)
	}

	sector := a.sector()
	a.County = c.Plate
	switch {
	case c.Plate != county.Bucharest:
		return a, nil
	case sector == "":
		return a, fmt.Errorf("%q, %q names no sector of Bucharest; add it to the city, such as Sector 3", a.Street,
			a.City)
	}

	a.City = "SECTOR" + sector
	return a, nil
}

// county returns the county that the address names. If the address names none, it returns the county with the postal
// code, or Bucharest if the rest of the address is there.
func (a Address) county() (county.County, bool) {
	if a.County != "" {
		return county.Parse(a.County)
	}
	if romanianPost.MatchString(a.PostalCode) {
		for _, c := range county.All {
			if c.Post != "" && strings.HasPrefix(a.PostalCode, c.Post) {
				return c, true
			}
		}
	}

	if a.sector() != "" {
		return county.Parse(county.Bucharest)
	}

	c, ok := county.Parse(a.City)
	return c, ok && c.Plate == county.Bucharest
}

// sector returns the number of Bucharest's sector in the address. If the address names none, it returns the sector with
// the address's postal code.
func (a Address) sector() string {
	for _, text := range []string{a.City, a.Street, a.County} {
		if sector := county.Sector(text); sector != "" {
			return sector
		}
	}

	if found := sectorPost.FindStringSubmatch(a.PostalCode); found != nil {
		return found[1]
	}
	return ""
}

// CityName returns the city in its usual spelling. For the sectors of Bucharest, that is București.
func (a Address) CityName() string {
	if sector, ok := strings.CutPrefix(a.City, "SECTOR"); ok && a.Country == romania {
		return "București, Sector " + sector
	}
	return a.City
}
