package onrc

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/rodata/rodata/internal/county"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/upstream/siruta"
)

// firmReader converts rows of the main table into companies. It is not safe for concurrent use.
type firmReader struct {
	places  *gazetteer
	dropped reasons
}

// read converts a row. It reports false for a row without a name.
func (r *firmReader) read(row string) (search.Firm, bool) {
	var c [firmWidth]string
	for i := range c {
		c[i], row, _ = strings.Cut(row, "^")
	}

	f := search.Firm{
		Name:       clean(c[firmName]),
		Form:       strings.ToUpper(clean(c[firmForm])),
		Number:     strings.ToUpper(strings.ReplaceAll(clean(c[firmNumber]), " ", "")),
		EUID:       clean(c[firmEUID]),
		TaxID:      r.taxID(c[firmTaxID]),
		Registered: r.day(c[firmDay]),
		Website:    website(clean(c[firmWeb])),
	}
	if !hasContent(f.Name) {
		r.dropped[namelessFirm]++
		return f, false
	}
	if f.Form == "N/A" || !hasContent(f.Form) {
		f.Form = ""
	}
	if !strings.Contains(f.EUID, ".") || strings.Contains(f.EUID, " ") {
		f.EUID = tradenumber.Register + f.Number // as in all rows of the register
	}
	if f.Website == "" && hasContent(c[firmWeb]) {
		r.dropped[notWebsite]++
	}

	r.locate(&f, &c)
	return f, true
}

func (r *firmReader) taxID(text string) ro.CUI {
	text = strings.TrimSpace(strings.TrimPrefix(strings.ToUpper(text), "RO"))
	if strings.Trim(text, "0") == "" {
		r.dropped[noTaxID]++
		return 0
	}

	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || !ro.CUI(n).Valid() {
		r.dropped[wrongTaxID]++
		return 0
	}

	return ro.CUI(n)
}

func (r *firmReader) day(text string) ro.Date {
	if text == "" {
		r.dropped[noDay]++
		return 0
	}

	day, err := ro.ParseDate(text)
	if err != nil || day.Year() < 1800 {
		r.dropped[wrongDay]++
		return 0
	}

	return day
}

// postalCode returns a Romanian postal code, and restores a leading zero that the register dropped.
func (r *firmReader) postalCode(text string) string {
	if strings.Trim(text, "0") == "" {
		return ""
	}
	if len(text) == 5 {
		text = "0" + text
	}
	if len(text) != 6 || strings.Trim(text, "0123456789") != "" {
		r.dropped[wrongPostalCode]++
		return ""
	}

	return text
}

// locate fills in the registered office.
func (r *firmReader) locate(f *search.Firm, c *[firmWidth]string) {
	country := clean(c[firmCountry])
	var seat place
	switch {
	case country != "" && spelling.Fold(country) != "romania":
		seat = place{label: clean(c[firmCounty]), city: clean(c[firmPlace])}
	case c[firmCounty] != "" || c[firmPlace] != "":
		country, seat = "", r.places.find(c[firmCounty], c[firmPlace], c[firmSector])
	default:
		country = ""
	}

	if seat.doubt != "" {
		r.dropped[seat.doubt]++
	}

	f.County, f.City, f.SIRUTA = seat.county, seat.city, seat.siruta
	f.Address = address(country, seat, c)
	if f.PostalCode = clean(c[firmPostalCode]); country == "" {
		f.PostalCode = r.postalCode(f.PostalCode)
	}
}

// address returns the registered office on one line, from the largest unit to the smallest.
func address(country string, seat place, c *[firmWidth]string) string {
	var line []string
	add := func(before, text string) {
		if text = clean(text); hasContent(text) {
			line = append(line, before+text)
		}
	}

	beforeCounty := "jud. "
	if country != "" || seat.county == bucharest {
		beforeCounty = ""
	}

	add("", country)
	add(beforeCounty, seat.label)
	if seat.city != seat.label || seat.county != bucharest {
		add("", seat.city)
	}

	add("", c[firmStreet])
	add("nr. ", c[firmHouse])
	add("bl. ", c[firmBlock])
	add("sc. ", c[firmStair])
	add("et. ", c[firmFloor])
	add("ap. ", c[firmFlat])
	add("", c[firmRest])
	return strings.Join(line, ", ")
}

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
