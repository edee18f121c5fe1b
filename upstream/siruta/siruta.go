// Package siruta is the register of Romania's counties and places (SIRUTA), embedded in the program.
// data/PROVENANCE.md names its sources.
package siruta

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/internal/county"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/internal/tsv"
	"github.com/rodata/rodata/search/words"
)

//go:embed data/localities.tsv
var localityTable string

// Registry holds the counties and places in memory. It is immutable, and therefore safe for concurrent use.
type Registry struct {
	counties       []reference.County // by name
	countyIndex    *words.Index
	places         []place // larger kinds first, then by name
	placeIndex     *words.Index
	placesOfCounty map[int]words.Set
	bySIRUTA       map[int]int // positions in places
}

type place struct {
	reference.Place
	kind   *kind
	key    string // the folded name
	unit   int    // SIRUTA code of the municipality, town or commune that it is or belongs to
	second int    // the tax authority's second code for a town; 0 for none
}

// kind is a kind of place.
type kind struct {
	reference.PlaceType
	rank int
	// words are what people write before the name of such a place. A commune also has those of a village, because it
	// and the village with its name are one place.
	words string
}

var village = &kind{reference.Village, 4, "sat satul loc localitatea"}

// kinds are the kinds of localities.tsv. Subdivisions of a municipality, town or commune count as villages.
var kinds = map[string]*kind{
	"municipality": {reference.Municipality, 0, "mun municipiu municipiul oras orasul or"},
	"sector":       {reference.Sector, 1, "sectorul"},
	"town":         {reference.Town, 2, "oras orasul or"},
	"commune":      {reference.Commune, 3, "com comuna sat satul"},

	"municipality_seat": village, "municipality_component": village,
	"town_seat": village, "town_component": village,
	"commune_seat": village, "village": village,
}

const countyWords = "jud judet judetul"

// Load returns the counties and places. The first call parses the places, which takes some tens of milliseconds; all
// calls return the same ones.
var Load = sync.OnceValue(func() *Registry {
	r, err := read(localityTable)
	if err != nil { // the table is part of the program and tested
		panic(fmt.Sprintf("siruta: reading the embedded places: %v", err))
	}
	return r
})

// read parses the table of places. Each municipality, town or commune precedes its subdivisions.
func read(localities string) (*Registry, error) {
	rows, err := tsv.Rows(localities, "siruta", "parent", "kind", "name", "anaf_code", "anaf_alt", "dup")
	if err != nil {
		return nil, fmt.Errorf("localities.tsv: %w", err)
	}

	r := &Registry{counties: make([]reference.County, len(county.All))}
	bySIRUTA := map[string]*reference.County{}
	for i, c := range county.All {
		r.counties[i] = reference.County{ID: c.Number, Name: strings.ToUpper(c.Name), Slug: spelling.Slug(c.Name),
			Code: c.Plate, ANAFCode: c.Number, SIRUTACode: c.SIRUTA}
		bySIRUTA[strconv.Itoa(c.SIRUTA)] = &r.counties[i]
	}

	var within *reference.County
	var unit string
	for _, row := range rows {
		switch c := bySIRUTA[row[1]]; {
		case c != nil:
			within, unit = c, row[0]
		case row[1] != unit:
			return nil, fmt.Errorf("localities.tsv: %s does not follow %s, to which it belongs", row[0], row[1])
		}

		if row[6] != "" { // the same place as the unit
			continue
		}
		if err := r.addPlace(within, unit, row); err != nil {
			return nil, fmt.Errorf("localities.tsv: %s: %w", row[0], err)
		}
	}

	r.sort()
	r.indexCounties()
	r.indexPlaces()
	return r, nil
}

// addPlace adds a place of a county. The place belongs to a unit, or is a unit itself.
func (r *Registry) addPlace(county *reference.County, unit string, row []string) error {
	k, name := kinds[row[2]], row[3]
	if k == nil {
		return fmt.Errorf("unknown kind %q", row[2])
	}

	var numbers [4]int // the place's code, the unit's, and the tax authority's two, which may be missing
	for i, text := range []string{row[0], unit, row[4], row[5]} {
		var err error
		if numbers[i], err = strconv.Atoi(text); err != nil && (i < 2 || text != "") {
			return err
		}
	}

	p := place{kind: k, key: spelling.Fold(name), unit: numbers[1], second: numbers[3], Place: reference.Place{
		ID: numbers[0], Name: name, Slug: spelling.Slug(name), Type: k.PlaceType, SIRUTACode: numbers[0],
		CountyID: county.ID, CountyName: county.Name, CountyCode: county.Code}}
	if code := numbers[2]; row[4] != "" {
		p.ANAFCode = &code
	}

	r.places = append(r.places, p)
	return nil
}

func (r *Registry) sort() {
	slices.SortFunc(r.places, func(a, b place) int {
		return cmp.Or(a.kind.rank-b.kind.rank, strings.Compare(a.key, b.key),
			strings.Compare(a.CountyName, b.CountyName), a.ID-b.ID)
	})
	r.places = slices.Clip(r.places)
}

func (r *Registry) indexCounties() {
	entries := make([]words.Entry, len(r.counties))
	for i, c := range r.counties {
		entries[i] = words.Entry{Names: []string{c.Name, c.Code}, Context: []string{countyWords}}
		if c.ID == bucharest {
			entries[i].Context = append(entries[i].Context, kinds["municipality"].words)
		}
	}

	r.countyIndex = words.NewIndex(entries)
}

const (
	bucharest = 40 // the county number of București, which is a municipality
	anyCounty = -1 // stands for all counties in placesOfCounty
)

func (r *Registry) indexPlaces() {
	r.bySIRUTA = make(map[int]int, len(r.places))
	r.placesOfCounty = make(map[int]words.Set, len(r.counties))
	for i, p := range r.places {
		r.bySIRUTA[p.ID] = i
		if r.placesOfCounty[p.CountyID] == nil {
			r.placesOfCounty[p.CountyID] = words.NewSet(len(r.places))
		}

		r.placesOfCounty[p.CountyID].Set(uint(i))
	}

	entries := make([]words.Entry, len(r.places))
	for i, p := range r.places {
		context := []string{p.kind.words, countyWords, p.CountyName, p.CountyCode}
		if p.unit != p.ID {
			unit := &r.places[r.bySIRUTA[p.unit]]
			context = append(context, unit.kind.words, unit.Name)
		}

		entries[i] = words.Entry{Names: []string{p.Name}, Context: context}
	}

	r.placeIndex = words.NewIndex(entries)
	r.placesOfCounty[anyCounty] = r.placeIndex.All()
}
