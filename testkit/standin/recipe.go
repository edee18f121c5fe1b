package standin

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/invented"
)

// recipe holds the specific properties of a company. The other properties follow from its index.
type recipe struct {
	name, place, form string
	state             State
	vat               vatHistory
	activity          string // code of Rev.3
	registered        ro.Date
}

// vatHistory is a sequence of VAT registrations.
type vatHistory int

const (
	neverPaid vatHistory = iota
	paying
	stopped      // one period, closed
	twice        // one closed, one open
	thrice       // two closed, one open
	onCollection // like twice, with VAT on collection in the open period
	retroactive  // one closed, with its end entered four weeks later when the company was inactive, and one open
)

// showcase lists the first companies, one for each case that is worth demonstrating.
var showcase = []recipe{
	{"EXEMPLU TRANSILVAN", "Cluj-Napoca", "SRL", Registered, paying, "6210", ro.NewDate(2012, time.March, 5)},
	{"EXEMPLU RADIAT", "Timișoara", "SRL", StruckOff, paying, "0119", ro.NewDate(2001, time.January, 15)},
	{"EXEMPLU SUSPENDAT", "Sector 3", "SRL", Suspended, neverPaid, "4711", ro.NewDate(2010, time.February, 2)},
	{"EXEMPLU CU TVA LA ÎNCASARE", "Cluj-Napoca", "SRL", Arrived, onCollection, "6210",
		ro.NewDate(2019, time.January, 9)},
	{"EXEMPLU FUZIONAT", "Brașov", "SA", Merged, paying, "1621", ro.NewDate(1995, time.April, 4)},
	{"EXEMPLU ION", "Timișoara", "PFA", Registered, neverPaid, "6210", ro.NewDate(2020, time.January, 8)},
	{"EXEMPLU CU SEDIU ÎN STRĂINĂTATE", "Sector 1", "SA", Registered, paying, "7311", ro.NewDate(2015, time.June, 1)},
	{"EXEMPLU INACTIV", "Iași", "SRL", Registered, stopped, "4941", ro.NewDate(2008, time.May, 20)},
	{"EXEMPLU INSOLVENT", "Constanța", "SRL", Insolvent, thrice, "4100", ro.NewDate(2005, time.October, 3)},
	{"EXEMPLU NOU", "Bacău", "SRL", Registered, paying, "6210", ro.NewDate(2025, time.February, 3)},
	{"EXEMPLU DE LA ȚARĂ", "Pătrăuți", "SRL", Registered, neverPaid, "0111", ro.NewDate(2018, time.July, 12)},
	{"EXEMPLU RELUAT", "Craiova", "SNC", Resumed, twice, "1071", ro.NewDate(1999, time.November, 22)},
	{"EXEMPLU ANULAT ULTERIOR", "Cluj-Napoca", "SRL", Registered, retroactive, "6210",
		ro.NewDate(2015, time.February, 9)},
	{"EXEMPLU REÎNREGISTRAT", "Cluj-Napoca", "SRL", Registered, retroactive, "6210", ro.NewDate(2016, time.May, 16)},
}

// The names of the other companies are all pairs of these.
var (
	firstWords = []string{"EXEMPLU", "INVENTAT", "ÎNCHIPUIT", "FICTIV", "PLĂSMUIT", "IMAGINAR"}
	lastWords  = []string{
		"ALBASTRU", "ARGINTIU", "AURIU", "BĂTRÂN", "BLÂND", "BOGAT", "CĂRĂMIZIU", "CENUȘIU", "DEPĂRTAT", "DOMOL",
		"FĂINOS", "FRUMOS", "GALBEN", "GÂNDITOR", "HARNIC", "ISTEȚ", "ÎNALT", "ÎNFLORIT", "ÎNSORIT", "ÎNȚELEPT",
		"LINIȘTIT", "LUMINOS", "MĂREȚ", "MIC", "NESFÂRȘIT", "OCROTIT", "PĂMÂNTIU", "PLĂCUT", "PRIETENOS", "PUTERNIC",
		"RĂBDĂTOR", "ROȘU", "RUMEN", "SĂRAT", "SFIOS", "ȘTIUTOR", "TĂCUT", "TÂNĂR", "ȚANȚOȘ", "VERDE",
	}
	formCycle  = []string{"SRL", "SRL", "PFA", "SRL", "SA", "SRL", "SRL", "SNC", "SRL", "SRL", "II", "SRL", "SC"}
	vatCycle   = []vatHistory{paying, neverPaid, onCollection, paying, stopped, twice, thrice}
	stateCycle = []State{
		Registered, Registered, StruckOff, Registered, Suspended, Registered, Arrived, Registered, Dissolved,
		Registered, StruckOff,
		Registered, Merged, Modified, Registered, Insolvent, Resumed, Liquidating, Bankrupt, StruckOff, Reorganizing,
		Left, Registered,
	}
)

// invent derives the company of an index. The lengths of the cycles are coprime, so that all combinations occur.
func invent(i int, places []place) recipe {
	return recipe{
		name:       firstWords[i%len(firstWords)] + " " + lastWords[i/len(firstWords)%len(lastWords)],
		place:      places[i%len(places)].name,
		form:       formCycle[i%len(formCycle)],
		state:      stateCycle[i%len(stateCycle)],
		vat:        vatCycle[i%len(vatCycle)],
		activity:   activities[i%len(activities)].code3,
		registered: ro.NewDate(1992+i*7%34, time.Month(1+i*5%12), 1+i*11%28),
	}
}

// lastChange is the latest day on which a company's state changed.
var lastChange = ro.NewDate(2026, time.September, 15)

// newCompany makes the company of an index from its recipe.
func newCompany(i int, r recipe, places []place) Company {
	c := Company{
		CUI: invented.CUI(i), Name: r.name, Form: r.form, Registered: r.registered, State: r.state,
		index: i, street: "Exemplului", number: fmt.Sprint(1 + i%90),
		abroad: strings.Contains(r.name, "STRĂINĂTATE"),
	}

	for _, p := range places {
		if p.name == r.place {
			c.seat = p
			break
		}
	}

	for _, a := range activities {
		if a.code3 == r.activity {
			c.activity = a
		}
	}

	switch c.Since = c.Registered; c.State {
	case Registered, Insolvent, Reorganizing, Bankrupt: // their text refers to the registration
	default: // between its first years and now
		first := c.Registered + 400
		c.Since = min(first, lastChange) + max(lastChange-first, 0)*ro.Date(i*37%100)/100
	}

	c.RegisterNumber = c.registerNumber()
	c.setVAT(r.vat)
	c.setInactivity(r.vat)
	c.setEnrolments()
	c.setSplitVAT()
	c.setContact()
	return c
}

// setContact derives the telephone number and the website, which most companies lack, and removes the street of some.
func (c *Company) setContact() {
	i := c.index
	if i%9 == 1 {
		c.Phone = fmt.Sprintf("0000 %06d", i)
	}

	if i%6 == 1 {
		c.Website = [...]string{"www.exemplu%d.example", "HTTP://WWW.Exemplu%d.EXAMPLE/",
			"contact@exemplu%d.example"}[i/6%3]
		c.Website = fmt.Sprintf(c.Website, i)
	}

	if i%13 == 0 {
		c.street, c.number = "", ""
	}
}

// newNumbers is the first day of register numbers without a county.
var newNumbers = ro.NewDate(2024, time.July, 26)

// registerNumber derives the register number from the registration. It has the new format since that exists, and also
// for some of the older companies.
func (c *Company) registerNumber() string {
	county, err := strconv.Atoi(c.seat.code)
	must(err) // the places are built in

	n := tradenumber.Number{Letter: forms[c.Form].letter, County: county, Serial: 100 + c.index,
		Year: c.Registered.Year()}
	switch {
	case c.Registered >= newNumbers:
		n.County = 0
		return n.New()
	case c.index%4 == 3:
		return n.New()
	case c.index%7 == 6: // the county without its leading zero
		return strings.Replace(n.Old(), string(n.Letter)+"0", string(n.Letter), 1)
	}

	return n.Old()
}
