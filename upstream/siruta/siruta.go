// Package siruta is the counties and places of Romania, as the register of
// territorial units (SIRUTA) has them: a registry that answers from the program
// itself. Where its facts come from is told in data/PROVENANCE.md.
package siruta

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream/internal/words"
)

//go:generate go run ../internal/generate siruta data siruta.txt

//go:embed siruta.txt
var embedded string

// Registry is the counties and places in memory. It does not change, and any
// number of goroutines may use it.
type Registry struct {
	counties       []api.County // by name
	countyIndex    *words.Index
	places         []place // larger kinds first, then by name
	placeIndex     *words.Index
	placesOfCounty map[int]words.Set
	bySIRUTA       map[int]int // place numbers
}

type place struct {
	api.Place
	kind   *kind
	key    string // the folded name
	unit   int    // SIRUTA code of the municipality, town or commune that it is or belongs to
	second int    // a further code of the tax authority for a town; 0 for none
}

// kind is what the first letter of a line says.
type kind struct {
	api.PlaceType
	rank int
	// words are what people write before the name of such a place. A commune and
	// the village of its name are one place, and so are a town and its seat.
	words string
}

var kinds = map[string]*kind{
	"M": {api.Municipality, 0, "mun municipiu municipiul oras orasul or"},
	"S": {api.Sector, 1, "sectorul"},
	"T": {api.Town, 2, "oras orasul or"},
	"C": {api.Commune, 3, "com comuna sat satul"},
	"V": {api.Village, 4, "sat satul loc localitatea"},
}

const countyWords = "jud judet judetul"

// Load is the counties and places. The first call reads them, which takes some
// tens of milliseconds; all calls give the same ones.
var Load = sync.OnceValue(func() *Registry {
	r, err := read(embedded)
	if err != nil { // the text is part of the program and tested
		panic(fmt.Sprintf("siruta: reading the embedded places: %v", err))
	}
	return r
})

// read understands the lines that the generator makes: a county, then its
// places, each municipality, town or commune before what belongs to it.
func read(text string) (*Registry, error) {
	r := &Registry{places: make([]place, 0, strings.Count(text, "\n"))}
	unit := 0
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 5 {
			return nil, fmt.Errorf("line %q is not of five fields", line)
		}

		if fields[0] == "J" {
			if err := r.addCounty(fields[1], fields[2], fields[3], fields[4]); err != nil {
				return nil, fmt.Errorf("county of line %q: %w", line, err)
			}
			continue
		}

		var err error
		if unit, err = r.addPlace(unit, fields); err != nil {
			return nil, fmt.Errorf("place of line %q: %w", line, err)
		}
	}

	r.sort()
	r.indexCounties()
	r.indexPlaces()
	return r, nil
}

func (r *Registry) addCounty(id, code, siruta, name string) error {
	number, err := strconv.Atoi(id)
	if err != nil {
		return err
	}

	c := api.County{ID: number, Name: strings.ToUpper(name), Slug: words.Slug(name), Code: code, ANAFCode: number}
	c.SIRUTACode, err = strconv.Atoi(siruta)
	r.counties = append(r.counties, c)
	return err
}

// addPlace adds a place to the last county and gives the unit to which the
// places after it belong.
func (r *Registry) addPlace(unit int, fields []string) (int, error) {
	k, name := kinds[fields[0]], fields[2]
	if k == nil || len(r.counties) == 0 {
		return unit, fmt.Errorf("kind %q is unknown, or stands before any county", fields[0])
	}

	siruta, err := strconv.Atoi(fields[1])
	if err != nil {
		return unit, err
	}

	county := &r.counties[len(r.counties)-1]
	p := place{kind: k, key: words.Fold(name), unit: unit, Place: api.Place{
		ID: siruta, Name: name, Slug: words.Slug(name), Type: k.PlaceType,
		CountyID: county.ID, CountyName: county.Name, CountyCode: county.Code, SIRUTACode: siruta}}
	if k.PlaceType != api.Village && k.PlaceType != api.Sector {
		p.unit = siruta
	}

	if fields[3] != "" {
		code, err := strconv.Atoi(fields[3])
		if err != nil {
			return unit, err
		}
		p.ANAFCode = &code
	}

	if fields[4] != "" {
		if p.second, err = strconv.Atoi(fields[4]); err != nil {
			return unit, err
		}
	}

	r.places = append(r.places, p)
	return p.unit, nil
}

func (r *Registry) sort() {
	slices.SortFunc(r.counties, func(a, b api.County) int { return strings.Compare(a.Slug, b.Slug) })
	slices.SortFunc(r.places, func(a, b place) int {
		return cmp.Or(a.kind.rank-b.kind.rank, strings.Compare(a.key, b.key), strings.Compare(a.CountyName, b.CountyName), a.ID-b.ID)
	})
	r.places = slices.Clip(r.places)
}

func (r *Registry) indexCounties() {
	entries := make([]words.Entry, len(r.counties))
	for i, c := range r.counties {
		entries[i] = words.Entry{Names: []string{c.Name, c.Code}, Context: []string{countyWords}}
		if c.ID == bucharest {
			entries[i].Context = append(entries[i].Context, kinds["M"].words)
		}
	}

	r.countyIndex = words.NewIndex(entries)
}

const bucharest = 40 // the county number of București, which is a municipality

func (r *Registry) indexPlaces() {
	r.bySIRUTA = make(map[int]int, len(r.places))
	r.placesOfCounty = make(map[int]words.Set, len(r.counties))
	for i, p := range r.places {
		r.bySIRUTA[p.ID] = i
		if r.placesOfCounty[p.CountyID] == nil {
			r.placesOfCounty[p.CountyID] = words.NewSet(len(r.places))
		}
		r.placesOfCounty[p.CountyID].Add(i)
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
}
