package profile

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/upstream/caen"
	"github.com/rodata/rodata/upstream/onrc"
	"github.com/rodata/rodata/upstream/siruta"
)

// Trade is implemented by the trade register, *onrc.Register.
type Trade interface {
	// Search returns a page of companies, and the day of the release searched.
	Search(context.Context, search.Query) (search.Page, ro.Date, error)
	// ByTaxID returns the entries with a tax id, the best first.
	ByTaxID(ro.CUI) ([]search.Firm, ro.Date, error)
	// ByNumber returns the entries with a register number, the best first.
	ByNumber(tradenumber.Number) ([]search.Firm, ro.Date, error)
	// DataThrough returns the day of the served release. It is zero before the first one.
	DataThrough() ro.Date
	// Status reports when the release was loaded.
	Status() onrc.Status
}

const tradeRegister = "onrc"

// entry is the trade register's entry of a company.
type entry struct {
	firm   search.Firm
	source company.Source
}

// entry returns the trade register's entry of a number. It returns nil if there is none, or the register is not loaded
// yet.
func (r *Register) entry(cui ro.CUI) *entry {
	firms, through, err := r.trade.ByTaxID(cui)
	if err != nil || len(firms) == 0 {
		return nil
	}

	loaded := r.trade.Status().Loaded.UTC().Truncate(time.Second)
	return &entry{firms[0], company.Source{Name: tradeRegister, RetrievedAt: &loaded, AsOf: &through, Cache: op.Hit}}
}

// join adds the trade register's data to a profile, which it modifies. Where both registers have a value, it takes the
// better one.
func (e *entry) join(c *company.Company) {
	f := &e.firm
	c.SeatExpired = &f.SeatExpired
	if f.State != "" && f.State != company.UnknownState {
		c.StateRegistration = f.State
	}
	if f.Form != "" {
		c.CompanyType = &f.Form
	}
	if f.Number != "" {
		c.TradeNumber = &f.Number
	}
	if f.EUID != "" {
		c.EUID = &f.EUID
	}
	if f.Website != "" {
		c.Website = &f.Website
	}
	if c.RegistrationDate == nil && f.Registered != 0 {
		c.RegistrationDate = &f.Registered
	}
	if c.MainNACECode == nil {
		c.MainNACECode = orText(nil, f.Main)
	}
	if c.Address == nil && c.County == nil { // all parts describe one address
		c.Address, c.County = orText(nil, f.Address), countyName(f.County)
		c.City, c.PostalCode = orText(nil, f.City), orText(nil, f.PostalCode)
	}
}

// respell adds the current format of the register number.
func respell(c *company.Company) {
	if c.TradeNumber == nil {
		return
	}
	if number, ok := tradenumber.Parse(*c.TradeNumber); ok {
		c.TradeNumberNew = new(number.New())
	}
}

// revise adds the revision of the main activity, which no register names: the one in which the company is authorised
// for this code, otherwise what the code itself tells. The entry is nil if the trade register does not have the
// company.
func revise(c *company.Company, e *entry) {
	if c.MainNACECode == nil {
		return
	}

	code, revision := *c.MainNACECode, 0
	if e != nil {
		second, third := e.has("2:"+code), e.has("3:"+code)
		switch {
		case second && !third:
			revision = 2
		case third && !second:
			revision = 3
		}
	}

	if revision = cmp.Or(revision, caen.Load().Revision(reference.CAENCode(code))); revision != 0 {
		c.MainNACERevision = &revision
	}
}

// has reports whether the trade register lists an activity, such as "3:6210".
func (e *entry) has(activity string) bool {
	return e.firm.Main == activity || slices.Contains(e.firm.Codes, activity)
}

// LacksStatement reports whether the statement of a firm in the trade register is missing. It knows the ministry's
// files, but not what the tax authority has.
func LacksStatement(f *search.Firm, filings *company.Filings) bool {
	e := entry{firm: *f}
	c := e.bare(f.TaxID)
	e.join(c)
	return c.StatementState(filings, ro.Today()).State == company.StatementNotInFiles
}

// bare returns a company that only the trade register knows, before its entry is joined.
func (e *entry) bare(cui ro.CUI) *company.Company {
	return &company.Company{TaxID: cui, Name: e.firm.Name, StateRegistration: company.UnknownState}
}

// orText returns the value if it is not nil, otherwise the text. It returns nil if the value is nil and the text empty.
func orText(value *string, text string) *string {
	if value != nil || text == "" {
		return value
	}
	return &text
}

func countyName(id int) *string {
	county, ok := siruta.Load().CountyOf(id)
	if !ok {
		return nil
	}
	return &county.Name
}
