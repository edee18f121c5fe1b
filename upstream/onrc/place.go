package onrc

import (
	"strconv"
	"strings"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/upstream/siruta"
)

// place is a registered office, as far as it was understood.
type place struct {
	county int    // number; 0 if the register's text was not understood
	label  string // the county in the register's spelling: Argeș
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

// countyKinds are words that may precede the name of a county, folded.
var countyKinds = map[string]bool{"judetul": true, "jud": true, "municipiul": true, "mun": true}

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

func (g *gazetteer) resolve(county, locality, sector string) place {
	if kind, rest, ok := strings.Cut(county, " "); ok && countyKinds[spelling.Fold(kind)] {
		county = rest
	}

	p := place{city: strings.Clone(locality), label: strings.Clone(county)}
	if p.county, _ = g.places.County(api.CountyRef(county)); p.county == 0 {
		p.doubt = unknownCounty
		return p
	}

	if p.county == bucharest {
		if s := sectorOf(locality, sector); s != "" {
			locality = s
		}
	}

	if city, siruta, ok := g.places.Resolve(p.county, 0, locality); ok {
		p.city, p.siruta = city, siruta
	} else {
		p.doubt = unknownPlace
	}

	return p
}

// sectorOf returns the sector of Bucharest, such as "Sector 3", from a locality or else from the sector column. It is
// empty if there is none.
func sectorOf(locality, sector string) string {
	texts := []string{"sector " + sector, locality}
	for _, text := range texts {
		_, after, ok := strings.Cut(spelling.Fold(text), "sector")
		after = strings.TrimSpace(strings.TrimPrefix(after, "ul"))
		if n, err := strconv.Atoi(after); ok && err == nil && n >= 1 && n <= 6 {
			return "Sector " + strconv.Itoa(n)
		}
	}

	return ""
}
