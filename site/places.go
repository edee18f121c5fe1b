package site

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/op/problem"
)

// placesPage is the data of the list of counties, or of a search for places.
type placesPage struct {
	Q        string
	Total    int
	Hits     []reference.Place
	Counties []reference.County
}

// loadPlaces loads the counties, or the places that match a search.
func loadPlaces(v *visit) (any, error) {
	q := v.param("q")
	if q == "" {
		found, err := ask[reference.CountyPage](v, "search_counties", "limit", "100")
		return placesPage{Total: found.TotalCount, Counties: found.Items}, err
	}

	found, err := ask[reference.PlacePage](v, "search_cities", "q", q, "limit", "50")
	return placesPage{Q: q, Total: found.TotalCount, Hits: found.Items}, err
}

// placePage is the data of a place's page, or of a county's.
type placePage struct {
	County *reference.County
	Place  *reference.Place // nil on the page of a county
	// Places are in the county, or in the county with the same name.
	Places         []reference.Place
	Total, Page    int
	Previous, Next string
	Companies      *companyList
}

// Name is the name in the heading.
func (p placePage) Name() string {
	if p.Place != nil {
		return p.Place.Name
	}
	return p.County.Name
}

// SIRUTA is the code in the address.
func (p placePage) SIRUTA() int {
	if p.Place != nil {
		return p.Place.SIRUTACode
	}
	return p.County.SIRUTACode
}

// SubEntity is the county in the form that e-Factura requires, an ISO 3166-2 code.
func (p placePage) SubEntity() string { return "RO-" + p.County.Code }

// EInvoiceCity is the place in the form that e-Factura requires: SECTOR1 to SECTOR6 in București.
func (p placePage) EInvoiceCity() string {
	if p.Place.Type == reference.Sector {
		return strings.ToUpper(strings.ReplaceAll(p.Place.Name, " ", ""))
	}
	return p.Place.Name
}

// Crumbs are the steps from the counties down to the place.
func (p placePage) Crumbs(counties string) []crumb {
	crumbs := []crumb{{counties, "/places"}, {p.County.Name, "/places/" + strconv.Itoa(p.County.SIRUTACode)}}
	if p.Place == nil {
		return crumbs
	}
	return append(crumbs, crumb{p.Place.Name, "/places/" + strconv.Itoa(p.Place.SIRUTACode)})
}

// loadPlace loads a place or a county by its SIRUTA code.
func loadPlace(v *visit) (any, error) {
	code := v.r.PathValue("siruta")
	places, err := ask[reference.PlacePage](v, "search_cities", "id", code)
	if err != nil {
		return nil, inputNames{"id": "siruta"}.rename(err)
	}

	counties, err := ask[reference.CountyPage](v, "search_counties", "limit", "100")
	if err != nil {
		return nil, err
	}

	if len(places.Items) == 1 {
		return v.loadOnePlace(&places.Items[0], counties.Items)
	}

	i := slices.IndexFunc(counties.Items, func(c reference.County) bool { return strconv.Itoa(c.SIRUTACode) == code })
	if i < 0 {
		return nil, problem.NotFound.New("SIRUTA has no place or county %s", code)
	}

	return v.loadCounty(&counties.Items[i])
}

func (v *visit) loadOnePlace(place *reference.Place, counties []reference.County) (any, error) {
	i := slices.IndexFunc(counties, func(c reference.County) bool { return c.ID == place.CountyID })
	if i < 0 {
		return nil, problem.NotFound.New("the county of the place %d is not known", place.SIRUTACode)
	}

	return placePage{County: &counties[i], Place: place,
		Companies: v.someCompanies(companySearch{County: place.CountyCode, City: place.Name})}, nil
}

// placesOfPage is the number of places on a page of a county.
const placesOfPage = 100

func (v *visit) loadCounty(county *reference.County) (any, error) {
	number, _ := strconv.Atoi(v.param("page"))
	number = min(max(number, 1), 9999)
	found, err := ask[reference.PlacePage](v, "search_cities", "county", county.Code, "limit",
		strconv.Itoa(placesOfPage), "offset", strconv.Itoa((number-1)*placesOfPage))
	if err != nil {
		return nil, err
	}

	if number > 1 && len(found.Items) == 0 {
		beyond := problem.NotFound.New("the list of places has no page %d", number)
		beyond.Errors = []*problem.InputError{{Parameter: "page", Code: problem.NoSuchValue}}
		return nil, beyond
	}

	page := placePage{County: county, Places: found.Items, Total: found.TotalCount, Page: number,
		Companies: v.someCompanies(companySearch{County: county.Code})}
	if number > 1 {
		page.Previous = "?page=" + strconv.Itoa(number-1)
	}
	if number*placesOfPage < found.TotalCount {
		page.Next = "?page=" + strconv.Itoa(number+1)
	}

	return page, nil
}
