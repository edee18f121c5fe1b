package upstreamtest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream/internal/tradenumber"
)

// companyCount is the number of companies in the register.
const companyCount = 240

// register is the stand-ins' data about companies.
type register struct {
	companies []Company
	byCUI     map[api.CUI]*Company
	omitted   Company // only in the trade register
	changing  Company // changes with each request
}

// Companies returns the 240 invented companies of the stand-ins, in all states and all counties. They are always the
// same, in the same order. The first is an SRL in Cluj-Napoca that pays VAT and is in operation.
func Companies() ([]Company, error) {
	r, err := newRegister()
	if err != nil {
		return nil, err
	}
	return r.companies, nil
}

// recipe has the specific properties of a company. The other properties follow from its index.
type recipe struct {
	name, place, form string
	state             State
	vat               vatHistory
	activity          string // code of Rev.3
	registered        api.Date
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

// periods are the days after the registration on which VAT periods begin and end; -1 means open.
var periods = map[vatHistory][][2]int{
	paying:       {{30, -1}},
	stopped:      {{30, 300}},
	twice:        {{30, 200}, {260, -1}},
	thrice:       {{30, 100}, {150, 250}, {300, -1}},
	onCollection: {{30, 200}, {260, -1}},
}

// picked are the first companies, one for each case that is worth demonstrating.
var picked = []recipe{
	{"EXEMPLU TRANSILVAN", "Cluj-Napoca", "SRL", Registered, paying, "6210", api.NewDate(2012, time.March, 5)},
	{"EXEMPLU RADIAT", "Timișoara", "SRL", StruckOff, paying, "0119", api.NewDate(2001, time.January, 15)},
	{"EXEMPLU SUSPENDAT", "Sector 3", "SRL", Suspended, neverPaid, "4711", api.NewDate(2010, time.February, 2)},
	{"EXEMPLU CU TVA LA ÎNCASARE", "Cluj-Napoca", "SRL", Arrived, onCollection, "6210",
		api.NewDate(2019, time.January, 9)},
	{"EXEMPLU FUZIONAT", "Brașov", "SA", Merged, paying, "1621", api.NewDate(1995, time.April, 4)},
	{"EXEMPLU ION", "Timișoara", "PFA", Registered, neverPaid, "6210", api.NewDate(2020, time.January, 8)},
	{"EXEMPLU CU SEDIU ÎN STRĂINĂTATE", "Sector 1", "SA", Registered, paying, "7311", api.NewDate(2015, time.June, 1)},
	{"EXEMPLU INACTIV", "Iași", "SRL", Registered, stopped, "4941", api.NewDate(2008, time.May, 20)},
	{"EXEMPLU INSOLVENT", "Constanța", "SRL", Insolvent, thrice, "4100", api.NewDate(2005, time.October, 3)},
	{"EXEMPLU NOU", "Bacău", "SRL", Registered, paying, "6210", api.NewDate(2025, time.February, 3)},
	{"EXEMPLU DE LA ȚARĂ", "Pătrăuți", "SRL", Registered, neverPaid, "0111", api.NewDate(2018, time.July, 12)},
	{"EXEMPLU RELUAT", "Craiova", "SNC", Resumed, twice, "1071", api.NewDate(1999, time.November, 22)},
	{"EXEMPLU ANULAT ULTERIOR", "Cluj-Napoca", "SRL", Registered, retroactive, "6210",
		api.NewDate(2015, time.February, 9)},
	{"EXEMPLU REÎNREGISTRAT", "Cluj-Napoca", "SRL", Registered, retroactive, "6210", api.NewDate(2016, time.May, 16)},
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

func newRegister() (*register, error) {
	places, err := readPlaces()
	if err != nil {
		return nil, err
	}

	r := &register{byCUI: map[api.CUI]*Company{}}
	for i := 1; i <= companyCount; i++ {
		what := invent(i, places)
		if i <= len(picked) {
			what = picked[i-1]
		}

		r.companies = append(r.companies, found(i, what, places))
	}

	// The indices belong to NumberOmitted and NumberChanging, far after the others.
	r.omitted = found(907, recipe{"EXEMPLU OMIS DE ANAF", "Oradea", "SRL", Registered, neverPaid, "4711",
		api.NewDate(2016, time.April, 11)}, places)
	r.changing = found(908, recipe{"EXEMPLU SCHIMBĂTOR", "Sibiu", "SRL", Registered, neverPaid, "6210",
		api.NewDate(2017, time.March, 6)}, places)
	for i := range r.companies {
		r.byCUI[r.companies[i].CUI] = &r.companies[i]
	}

	return r, nil
}

// invent derives the company of an index. The lengths of the cycles are coprime, so that all combinations occur.
func invent(i int, places []place) recipe {
	return recipe{
		name:       firstWords[i%len(firstWords)] + " " + lastWords[i/len(firstWords)%len(lastWords)],
		place:      places[i%len(places)].name,
		form:       formCycle[i%len(formCycle)],
		state:      stateCycle[i%len(stateCycle)],
		vat:        vatCycle[i%len(vatCycle)],
		activity:   activities[i%len(activities)].code3,
		registered: api.NewDate(1992+i*7%34, time.Month(1+i*5%12), 1+i*11%28),
	}
}

// number returns the company number whose first nine digits are 990000000 plus n.
func number(n int) api.CUI {
	c := api.CUI(9_900_000_000 + 10*n)
	return c + api.CUI(c.ControlDigit())
}

// lastChange is the latest day on which a company's state changed.
var lastChange = api.NewDate(2026, time.September, 15)

// found creates the company of an index.
func found(i int, what recipe, places []place) Company {
	c := Company{
		CUI: number(i), Name: what.name, Form: what.form, Registered: what.registered, State: what.state,
		index: i, street: "Exemplului", number: fmt.Sprint(1 + i%90),
		abroad: strings.Contains(what.name, "STRĂINĂTATE"),
	}

	for _, p := range places {
		if p.name == what.place {
			c.seat = p
			break
		}
	}

	for _, a := range activities {
		if a.code3 == what.activity {
			c.activity = a
		}
	}

	switch c.Since = c.Registered; c.State {
	case Registered, Insolvent, Reorganizing, Bankrupt: // their text refers to the registration
	default: // between its first years and now
		first := c.Registered + 400
		c.Since = min(first, lastChange) + max(lastChange-first, 0)*api.Date(i*37%100)/100
	}

	c.RegisterNumber = c.registerNumber()
	c.setVAT(what.vat)
	c.setInactivity(what.vat)
	c.setEnrolments()
	if len(c.VAT) > 0 && i%10 == 4 {
		c.SplitVAT = Period{max(c.VAT[0].From, api.NewDate(2018, time.March, 1)), api.NewDate(2020, time.February, 1)}
	}
	if c.SplitVAT.From >= c.SplitVAT.To {
		c.SplitVAT = Period{}
	}
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

	return c
}

// cancelled and declaredInactive are the reasons in a retroactive history. The cancellation was entered weeks after its
// effective day, and the inactivity was published nine days after it began.
var (
	cancelled = []Registration{
		{
			Period:  Period{api.NewDate(2017, time.October, 1), api.NewDate(2020, time.December, 2)},
			Entered: api.NewDate(2020, time.December, 29),
			Reason:  "Anulare din oficiu, art. 316 alin. (11) lit. a) (exemplu de notiță)",
		},
		{Period: Period{From: api.NewDate(2021, time.January, 13)}},
	}
	declaredInactive = Inactivity{
		Period:    Period{api.NewDate(2020, time.December, 2), api.NewDate(2020, time.December, 18)},
		Published: api.NewDate(2020, time.December, 11),
	}
)

// setInactivity derives the company's entry in the register of inactive taxpayers. Some companies are inactive, and
// some were.
func (c *Company) setInactivity(history vatHistory) {
	from := c.Registered + 350
	switch {
	case history == retroactive:
		c.Inactivity = declaredInactive
	case c.index == 8 || c.index%17 == 5:
		c.Inactivity = Inactivity{Period{From: from}, from + 2}
	case c.index%17 == 6 && from < lastChange-100:
		c.Inactivity = Inactivity{Period{from, from + 90}, from + 9}
	}
}

// setVAT derives VAT periods from the history. Sole traders have no VAT periods here.
func (c *Company) setVAT(history vatHistory) {
	if forms[c.Form].letter == 'F' {
		return
	}
	if history == retroactive {
		c.VAT = cancelled
	}

	for _, days := range periods[history] {
		r := Registration{Period: Period{From: c.Registered + api.Date(days[0])}}
		if days[1] >= 0 {
			r.To = c.Registered + api.Date(days[1])
		} else if wordings[c.State].ended {
			r.To = c.Since
		}

		if r.To != 0 {
			r.Entered, r.Reason = r.To+2, "Anulare la cerere (exemplu de notiță)"
		}

		c.VAT = append(c.VAT, r)
	}

	if len(c.VAT) == 0 || c.VAT[len(c.VAT)-1].To != 0 {
		return
	}

	c.OnCollection = history == onCollection
	if c.index%3 != 2 {
		c.EInvoice = max(c.Registered+60, api.NewDate(2022, time.July, 1))
	}
}

// The first days of the flat-rate scheme for farmers and of the register of non-profits.
var (
	flatRate       = api.NewDate(2017, time.January, 1)
	nonProfitsFrom = api.NewDate(2019, time.April, 1)
)

// setEnrolments enters companies of agriculture into the register of farmers, and some others into the register of
// non-profits. A third of them have left again, and so have companies that no longer trade.
func (c *Company) setEnrolments() {
	enrolled := func(first api.Date) Period {
		p := Period{From: max(c.Registered+100, first)}
		switch ended := wordings[c.State].ended; {
		case ended && c.Since <= p.From:
			return Period{}
		case ended:
			p.To = c.Since
		case c.index%3 == 0:
			p.To = p.From + 400
		}

		return p
	}
	switch {
	case strings.HasPrefix(c.activity.code3, "01"):
		c.Farmer = enrolled(flatRate)
	case c.index%8 == 7:
		c.NonProfit = enrolled(nonProfitsFrom)
	}
}

// newNumbers is the first day of register numbers without a county.
var newNumbers = api.NewDate(2024, time.July, 26)

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
