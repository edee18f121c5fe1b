package traderegister

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/caen"
	"github.com/rodata/rodata/upstream/siruta"
)

// country holds the possible registered offices and activities of firms.
type country struct {
	places  [][]reference.Place // of each county; larger kinds first
	seats   [][]reference.Place // counties in proportion to the number of firms
	classes []string
}

// bucharest is the county with one firm in five.
const bucharest = 40

var loadCountry = sync.OnceValue(func() *country {
	c := &country{}
	registry := siruta.Load()
	counties, _ := registry.Counties(reference.CountyQuery{Limit: 100})
	for _, county := range counties {
		places := placesOf(registry, county.ID)
		c.places = append(c.places, places)
		c.seats = append(c.seats, places)
		if county.ID == bucharest {
			c.seats = append(c.seats, slices.Repeat([][]reference.Place{places}, 9)...)
		}
	}

	activities, _ := caen.Load().Search(reference.ActivityQuery{Type: "class", Limit: 1000})
	for i := range activities { // the most common are not the first of the list
		c.classes = append(c.classes, string(activities[i*277%len(activities)].Code))
	}

	return c
})

func placesOf(registry *siruta.Registry, county int) []reference.Place {
	ref := reference.CountyRef(strconv.Itoa(county))
	places, _ := registry.Places(reference.PlaceQuery{County: op.List[reference.CountyRef]{ref}, Limit: 5000})
	if county != bucharest {
		return places
	}

	return slices.DeleteFunc(places, func(p reference.Place) bool { return p.Type != reference.Sector })
}

// place draws a registered office. Towns are more frequent than villages.
func (m *maker) place() reference.Place {
	places := pick(m, m.country.seats)
	return places[int(m.places.Uint64())%len(places)]
}

func (m *maker) street() string {
	kind := pick(m, []string{"Str.", "Bd.", "Aleea", "Calea", "Şos."})
	return kind + " " + title(brand(int(m.brands.Uint64())))
}

// states draws the codes of a firm, in the proportions of the release of September 2026.
func (m *maker) states() []int {
	switch n := m.IntN(1000); {
	case n < 423 && m.oneIn(10):
		return []int{1048, 2069}
	case n < 423:
		return []int{1048}
	case n < 930:
		return []int{1084}
	case n < 985:
		return []int{1048, pick(m, []int{1049, 1052, 1057, 1070, 1074, 1107})}
	case n < 995:
		return []int{pick(m, []int{2120, 1053, 1054})}
	}

	return nil
}

// activities draws 0 to 9 classes of a firm, 4.6 on average, most of them of Rev.2. For 40 in 100 firms it also draws
// the main one.
func (m *maker) activities() (all []Activity, main string) {
	revision := pick(m, []int{2, 2, 2, 2, 3, 3, 3, 1, 0})
	for range m.IntN(10) {
		all = append(all, Activity{m.country.classes[m.classes.Uint64()], revision})
	}

	if len(all) > 0 && revision >= 2 && !m.oneIn(2) {
		main = all[0].Class
	}

	return all, main
}

var (
	roles = shares("administrator", 80, "director general", 4, "administrator unic", 4,
		"preşedinte consiliu de administraţie", 2,
		"lichidator judiciar", 6, "administrator judiciar", 2, "lichidator", 2)
	soleRoles = []string{"titular", "reprezentant"}
)

// persons draws the representatives of a firm, 0.9 on average.
func (m *maker) persons(f Firm, family string) []Person {
	n, from := 1, roles
	switch {
	case sole[f.Form]:
		from = soleRoles
	case m.oneIn(4):
		n = 2
	case m.oneIn(4):
		n = 0
	}

	all := make([]Person, n)
	for i := range all {
		all[i] = m.person(family, pick(m, from))
		family = title(surname(int(m.families.Uint64())))
	}

	return all
}

func (m *maker) person(family, role string) Person {
	born := ro.NewDate(1940, time.January, 1) + ro.Date(m.IntN(22_000))
	return Person{
		Name: strings.ToUpper(family + " " + title(given(int(m.families.Uint64())/50))), Role: role, Born: born,
		// No place has these endings, so a search for them finds only leaks.
		BirthPlace: title(syllables(m.IntN(20_000))) + "naștenii", Home: title(syllables(m.IntN(20_000))) + "locuinții",
		CNP: "1" + born.UTC().Format("06") + "99" + fmt.Sprintf("%08d", m.IntN(100_000_000)),
	}
}
