// Package traderegister generates trade registers of any size for tests: firms that do not exist, in the proportions of
// the real register.
package traderegister

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/invented"
)

// Firm is an invented company with clean values, without the defects of the register's files.
type Firm struct {
	Name, Form string
	CUI        ro.CUI  // 0 for 2 in 100
	Number     string  // in the old spelling or the new
	Registered ro.Date // 0 for 6 in 100
	Place      reference.Place
	// Street with its kind, house number, and the rest of the address.
	Street, House, Block, Flat, PostalCode, Website string
	States                                          []int // codes of N_STARE_FIRMA
	Activities                                      []Activity
	// Main is the class of the main activity. 40 in 100 firms have one.
	Main    string
	Persons []Person
}

// Activity is an authorised class and the number of its revision.
type Activity struct {
	Class    string
	Revision int
}

// Person is an invented representative. Birth and home must not occur in any data that the service stores.
type Person struct {
	Name, Role string
	Born       ro.Date
	BirthPlace string
	Home       string
	CNP        string // 13 digits with an impossible month: not a real number
}

// Firms iterates over n firms. The same seed gives the same firms for any n: Firms(10, s) are the first ten of
// Firms(20, s).
func Firms(n int, seed uint64) iter.Seq[Firm] {
	return func(yield func(Firm) bool) {
		m := newMaker(seed)
		for i := range n {
			if !yield(m.firm(i)) {
				return
			}
		}
	}
}

// maker draws firms from one random stream.
type maker struct {
	*rand.Rand
	brands, families, classes, places *rand.Zipf
	country                           *country
}

func newMaker(seed uint64) *maker {
	r := rand.New(rand.NewPCG(seed, 4))
	c := loadCountry()
	return &maker{
		Rand: r, country: c,
		brands:   rand.NewZipf(r, 1.08, 40, 3_000_000),
		families: rand.NewZipf(r, 1.15, 30, 200_000),
		classes:  rand.NewZipf(r, 1.3, 6, uint64(len(c.classes)-1)),
		places:   rand.NewZipf(r, 1.3, 2, 5000),
	}
}

// oneIn returns true with a probability of 1/n.
func (m *maker) oneIn(n int) bool { return m.IntN(n) == 0 }

func pick[T any](m *maker, from []T) T { return from[m.IntN(len(from))] }

func (m *maker) firm(i int) Firm {
	f := Firm{Place: m.place()}
	f.Form = m.form()
	family := title(surname(int(m.families.Uint64())))
	if sole[f.Form] {
		f.Name = m.soleName(family, f.Form)
	} else {
		f.Name = m.companyName(f.Form)
	}

	if !m.oneIn(50) {
		f.CUI = cui(i)
	}

	year, number := m.number(f.Form, f.Place.CountyID, i)
	f.Number = number
	if !m.oneIn(16) {
		f.Registered = ro.NewDate(year, time.January, 1+m.IntN(365))
	}

	f.Street, f.House = m.street(), strconv.Itoa(1+m.IntN(300))
	if m.oneIn(3) {
		f.Block, f.Flat = strconv.Itoa(1+m.IntN(90)), strconv.Itoa(1+m.IntN(80))
	}
	if m.oneIn(3) {
		f.PostalCode = fmt.Sprintf("%06d", 10_000+m.IntN(910_000))
	}
	if m.oneIn(300) {
		f.Website = "www." + strings.ToLower(family) + strconv.Itoa(i) + ".example"
	}

	f.States = m.states()
	f.Activities, f.Main = m.activities()
	f.Persons = m.persons(f, family)
	return f
}

// cui returns a distinct number for each firm, with a valid check digit. One firm in 45 gets the number of the previous
// firm instead.
func cui(i int) ro.CUI {
	if i%45 == 44 {
		i--
	}
	// An odd multiplier maps the numbers below a power of two to distinct numbers.
	return invented.Complete(1_000 + i*1_640_531%(1<<23)*5)
}

// number returns a year and a distinct register number for each firm, in the old format for three in four. Numbers
// issued since 2024 have no county.
func (m *maker) number(form string, county, i int) (int, string) {
	letter := byte('J')
	switch {
	case sole[form]:
		letter = 'F'
	case form == "CA":
		letter = 'C'
	}

	n := tradenumber.Number{Letter: letter, County: county, Year: 1992 + i%32, Serial: 1 + i/32}
	switch {
	case i%16 == 0:
		n.County, n.Year, n.Serial = 0, 2024+i/16%2, 1+i/32
		return n.Year, n.New()
	case m.oneIn(5):
		return n.Year, n.New()
	}

	return n.Year, n.Old()
}
