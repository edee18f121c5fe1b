package onrc

import (
	"cmp"
	"strings"

	"github.com/rodata/rodata/internal/county"
	"github.com/rodata/rodata/upstream/siruta"
)

// place is a registered office, as far as it was understood.
type place struct {
	county int    // number; 0 if the register's text was not understood
	label  string // the county's name, or the register's text if it was not understood
	city   string
	siruta int
	doubt  Reason // the reason why the rest was not understood
}

// gazetteer finds places. It memoizes them, because millions of offices are in only thousands of places. It is not safe
// for concurrent use.
type gazetteer struct {
	places *siruta.Registry
	known  map[[3]string]place
}

const (
	bucharest = 40
	maxKnown  = 200_000
)

func newGazetteer(places *siruta.Registry) *gazetteer {
	return &gazetteer{places: places, known: map[[3]string]place{}}
}

// find returns the place in the register's three cells: "Argeş", "Lereşti", "", or "Bucureşti", "Bucureşti Sectorul 3",
// "3".
func (g *gazetteer) find(county, locality, sector string) place {
	key := [3]string{county, locality, sector}
	p, ok := g.known[key]
	if !ok {
		p = g.resolve(clean(county), clean(locality), sector)
		if len(g.known) < maxKnown {
			for i := range key { // substrings of the cells would keep the whole table in memory
				key[i] = strings.Clone(key[i])
			}
			g.known[key] = p
		}
	}

	return p
}

func (g *gazetteer) resolve(countyCell, locality, sector string) place {
	c, ok := county.Parse(countyCell)
	p := place{county: c.Number, label: cmp.Or(c.Name, strings.Clone(countyCell)), city: strings.Clone(locality)}
	if !ok {
		p.doubt = unknownCounty
		return p
	}

	if n := cmp.Or(county.Sector("sector "+sector), county.Sector(locality)); n != "" && p.county == bucharest {
		locality = "Sector " + n
	}

	if city, siruta, ok := g.places.Resolve(p.county, 0, locality); ok {
		p.city, p.siruta = city, siruta
	} else {
		p.doubt = unknownPlace
	}
	if p.city == "" && p.county == bucharest {
		p.city = "București"
	}

	return p
}
