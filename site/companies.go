package site

import (
	"errors"

	"github.com/rodata/rodata/api/reference"
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
	Activities []reference.Activity
	Places     []reference.Place
}

// IsEmpty reports whether nothing at all was found.
func (p companiesPage) IsEmpty() bool {
	return p.Companies != nil && p.Companies.TotalCount == 0 && len(p.Activities)+len(p.Places) == 0
}

// loadCompanies loads the result of a search for companies, and the activities and places that match the same words.
func loadCompanies(v *visit) (any, error) {
	form := v.companySearch()
	if to, ok := form.company(); ok {
		return nil, &redirect{to}
	}

	page := companiesPage{Form: form, Asked: form.hasCondition()}
	counties, err := ask[reference.CountyPage](v, "search_counties", "limit", "100")
	if err != nil {
		return nil, err
	}

	page.Counties = counties.Items
	if page.Asked {
		page.Companies, err = v.searchCompanies(form, rowsOfPage)
		if errors.As(err, &page.Failure) && page.Failure.Status() < 500 && page.Failure.Kind != problem.NotFound {
			return nil, err
		}
	}

	if form.hasOnlyWords() {
		// If one of these searches fails, the page still shows the results of the others.
		activities, _ := ask[reference.ActivityPage](v, "search_caen_codes", "q", form.Q, "limit", "5")
		places, _ := ask[reference.PlacePage](v, "search_cities", "q", form.Q, "limit", "5")
		page.Activities, page.Places = activities.Items, places.Items
	}

	return page, nil
}
