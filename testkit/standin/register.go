package standin

import (
	"time"

	"github.com/rodata/rodata/ro"
)

// companyCount is the number of companies in the register.
const companyCount = 240

// register is the stand-ins' data about companies.
type register struct {
	companies []Company
	byCUI     map[ro.CUI]*Company
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

func newRegister() (*register, error) {
	places, err := readPlaces()
	if err != nil {
		return nil, err
	}

	r := &register{byCUI: map[ro.CUI]*Company{}}
	for i := 1; i <= companyCount; i++ {
		what := invent(i, places)
		if i <= len(showcase) {
			what = showcase[i-1]
		}

		r.companies = append(r.companies, newCompany(i, what, places))
	}

	// The indices belong to NumberOmitted and NumberChanging, far after the others.
	r.omitted = newCompany(907, recipe{"EXEMPLU OMIS DE ANAF", "Oradea", "SRL", Registered, neverPaid, "4711",
		ro.NewDate(2016, time.April, 11)}, places)
	r.changing = newCompany(908, recipe{"EXEMPLU SCHIMBĂTOR", "Sibiu", "SRL", Registered, neverPaid, "6210",
		ro.NewDate(2017, time.March, 6)}, places)
	for i := range r.companies {
		r.byCUI[r.companies[i].CUI] = &r.companies[i]
	}

	return r, nil
}
