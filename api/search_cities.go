package api

import (
	"context"

	"github.com/rodata/rodata/account"
)

// PlaceQuery is a query for places; absent fields do not restrict it.
type PlaceQuery struct {
	Q      Text            `arg:"q" doc:"Name, in part or whole, with or without diacritics and hyphens, in any order; words such as mun., com., jud. and the county may stand beside it. One typing error is forgiven when nothing matches." example:"cluj-napoca"`
	ID     List[PlaceID]   `arg:"id" doc:"SIRUTA codes, separated by commas; those that do not exist are left out." example:"54975"`
	County List[CountyRef] `arg:"county" doc:"Counties by name, plate code or number, separated by commas." example:"12"`
	Limit  Limit           `arg:"limit" default:"25" doc:"How many places to return at most: 1 to 100."`
	Offset Offset          `arg:"offset" default:"0" doc:"How many matches to pass over: 0 to 999999."`
}

// PlacePage is a page of matching places.
type PlacePage struct {
	TotalCount int     `json:"totalCount" doc:"All matches."`
	Limit      int     `json:"limit" doc:"Page size applied."`
	Offset     int     `json:"offset" doc:"Offset applied."`
	Items      []Place `json:"items" doc:"The places of this page; empty beyond the last match."`
}

func searchCities(g Gazetteer) *Operation {
	return Define(Spec{
		Name: "search_cities", Method: "GET", Path: "/v1/cities", Tag: "Places",
		Title: "Search the cities, communes and villages of Romania",
		Description: "Search of the 13,859 localities of Romania (municipalities, towns, communes, villages, and the sectors of București) by name, county or SIRUTA code, with tax-authority and SIRUTA codes. " +
			"Use it to find a place's codes, or to list the places of a county; use search_counties instead for the counties themselves. " +
			"Free, works without a key. The official nomenclature is built in, so the answer changes only with a release of the service. " +
			"The best match comes first, and larger kinds of places before smaller ones. An empty items list means that nothing matches, even with a typing error forgiven.",
		Tool: true,
	}, func(_ context.Context, _ account.Caller, q PlaceQuery) (Answer[PlacePage], error) {
		for _, county := range q.County {
			if _, err := countyOf(g, county); err != nil {
				return Answer[PlacePage]{}, err
			}
		}

		items, total := g.Places(q)
		page := PlacePage{total, int(q.Limit), int(q.Offset), items}
		return Answer[PlacePage]{Value: page, Freshness: builtIn}, nil
	})
}
