package bulk

import (
	"strconv"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/upstream/siruta"
)

// columns are the columns of a company. They have the same names as in the search.
var columns = []table.Column{
	{Name: "taxId", Kind: table.Integer},
	{Name: "name"},
	{Name: "companyType"},
	{Name: "tradeNumber"},
	{Name: "registrationDate", Kind: table.Date},
	{Name: "stateRegistration"},
	{Name: "mainNaceCode"},
	{Name: "county"},
	{Name: "city"},
	{Name: "sirutaCode", Kind: table.Integer},
	{Name: "postalCode"},
	{Name: "address"},
	{Name: "website"},
}

// The indexes in columns that identify a company.
const (
	taxIDColumn  = 0
	nameColumn   = 1
	numberColumn = 3
)

// appendCells appends the cells of a company.
func appendCells(cells []string, f *search.Firm) []string {
	state := f.State
	if state == "" {
		state = company.UnknownState
	}

	registered := ""
	if f.Registered != 0 {
		registered = f.Registered.String()
	}

	county := ""
	if c, ok := siruta.Load().CountyOf(f.County); ok {
		county = c.Name
	}

	return append(cells, number(int64(f.TaxID)), f.Name, f.Form, f.Number, registered, string(state), f.Main,
		county, f.City, number(int64(f.SIRUTA)), f.PostalCode, f.Address, f.Website)
}

// number returns the cell of a number; it is empty for 0, which means missing.
func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// infoOf returns the description of a file.
func infoOf(title string, release ro.Date) table.Info {
	return table.Info{Title: title, Sources: []table.Source{{
		Name: company.TradeRegisterName, Address: company.TradeRegisterAddress, Date: release.String(),
		Attribution: company.TradeRegisterAttribution, Licence: company.OpenDataLicence,
	}}}
}
