package company

import (
	"context"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream/internal/index"
	"github.com/rodata/rodata/upstream/internal/tradenumber"
	"github.com/rodata/rodata/upstream/onrc"
	"github.com/rodata/rodata/upstream/siruta"
)

// Trade is implemented by the trade register, *onrc.Register.
type Trade interface {
	// Search returns a page of companies, and the day of the release searched.
	Search(context.Context, index.Query) (index.Page, api.Date, error)
	// ByTaxID returns the entries with a tax id, the best first.
	ByTaxID(api.CUI) ([]index.Firm, api.Date, error)
	// ByNumber returns the entries with a register number, the best first.
	ByNumber(tradenumber.Number) ([]index.Firm, api.Date, error)
	// DataThrough returns the day of the served release. It is zero before the first one.
	DataThrough() api.Date
	// Status reports when the release was loaded.
	Status() onrc.Status
}

const tradeRegister = "onrc"

// entry is the trade register's entry of a company.
type entry struct {
	firm   index.Firm
	source api.Source
}

// entry returns the trade register's entry of a number. It returns nil if there is none, or the register is not loaded
// yet.
func (r *Register) entry(cui api.CUI) *entry {
	firms, through, err := r.trade.ByTaxID(cui)
	if err != nil || len(firms) == 0 {
		return nil
	}

	loaded := r.trade.Status().Loaded.UTC().Truncate(time.Second)
	return &entry{firms[0], api.Source{Name: tradeRegister, RetrievedAt: &loaded, AsOf: &through, Cache: api.Hit}}
}

// join adds the trade register's data to a profile, which it modifies. Where both registers have a value, it takes the
// better one.
func (e *entry) join(c *api.Company) {
	f := &e.firm
	if f.State != "" && f.State != api.UnknownState {
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
		c.MainNACECode = mainCode(f)
	}
	if c.County == nil {
		c.County = countyName(f.County)
	}

	c.City = or(c.City, f.City)
	c.PostalCode = or(c.PostalCode, f.PostalCode)
}

// respell adds the current format of the register number.
func respell(c *api.Company) {
	if c.TradeNumber == nil {
		return
	}
	if number, ok := tradenumber.Parse(*c.TradeNumber); ok {
		c.TradeNumberNew = new(number.New())
	}
}

// alone returns the profile of a company that only the trade register knows.
func (e *entry) alone(cui api.CUI) *api.Company {
	c := &api.Company{TaxID: cui, Name: e.firm.Name, StateRegistration: api.UnknownState}
	e.join(c)
	c.Address = or(nil, e.firm.Address)
	return c
}

// or returns the value if it is not nil, otherwise the text. It returns nil if the value is nil and the text empty.
func or(value *string, text string) *string {
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

// mainCode returns the main activity without the revision prefix.
func mainCode(f *index.Firm) *string { return or(nil, f.MainCode()) }
