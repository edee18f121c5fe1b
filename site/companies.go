package site

import (
	"errors"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/client"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// companiesPage is the data of a search for companies.
type companiesPage struct {
	Form     companySearch
	Counties []reference.County
	// Asked is false if the page shows only the form.
	Asked bool
	// Companies is nil if the trade register could not be searched; Failure then explains why.
	Companies *companyList
	Failure   *problem.Problem
	// Activities and Places match the words of the search.
	Activities []client.CAENCode
	Places     []reference.Place
}

// IsEmpty reports whether nothing at all was found.
func (p companiesPage) IsEmpty() bool {
	return p.Companies != nil && p.Companies.TotalCount == 0 && len(p.Activities)+len(p.Places) == 0
}

// loadCompanies loads the result of a search for companies, and the activities and places that match the same words.
func loadCompanies(v *visit) (content, error) {
	form := v.companySearch()
	if to, ok := form.company(); ok {
		return nil, &redirect{to}
	}

	a := companiesAnswers{form: form}
	var err error
	if a.counties, err = v.call("search_counties", "limit", "100"); err != nil {
		return nil, err
	}

	if form.hasCondition() {
		a.companies, err = v.searchCompanies(form, rowsOfPage)
		if errors.As(err, &a.failure) && a.failure.Status() < 500 && a.failure.Kind != problem.NotFound {
			return nil, a.failure
		}
	}

	if form.hasOnlyWords() {
		// If one of these searches fails, the page still shows the results of the others.
		a.activities, _ = v.call("search_caen_codes", "q", form.Q, "limit", "5")
		a.places, _ = v.call("search_cities", "q", form.Q, "limit", "5")
	}

	return func() (any, error) { return a.page(v) }, nil
}

// companiesAnswers are the answers that the page of a search consists of. Except for the counties, each may be nil.
type companiesAnswers struct {
	form                                    companySearch
	counties, companies, activities, places *op.Document
	failure                                 *problem.Problem
}

// page decodes the answers.
func (a *companiesAnswers) page(v *visit) (any, error) {
	page := companiesPage{Form: a.form, Asked: a.form.hasCondition(), Failure: a.failure}
	counties, err := decode[reference.CountyPage](a.counties)
	if err != nil {
		return nil, err
	}

	page.Counties = counties.Items

	if a.companies != nil {
		if page.Companies, err = v.companyList(a.companies); err != nil {
			return nil, err
		}
		page.Companies.turn(a.form)
	}

	if a.activities != nil {
		found, err := decode[client.CAENPage](a.activities)
		if err != nil {
			return nil, err
		}

		page.Activities = found.Items
	}

	if a.places != nil {
		found, err := decode[reference.PlacePage](a.places)
		if err != nil {
			return nil, err
		}

		page.Places = found.Items
	}

	return page, nil
}
