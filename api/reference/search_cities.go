package reference

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
)

// PlaceQuery is a query for places; absent fields do not restrict it.
type PlaceQuery struct {
	Q      op.Text            `arg:"q" doc:"Name or part of it, with or without diacritics; may include the county." example:"cluj-napoca"`
	ID     op.List[PlaceID]   `arg:"id" doc:"SIRUTA codes, separated by commas; nonexistent ones are ignored." example:"54975"`
	County op.List[CountyRef] `arg:"county" doc:"Counties by name, plate code or number, separated by commas." example:"12"`
	Limit  op.Limit           `arg:"limit" default:"25" doc:"Page size, 1 to 100."`
	Offset op.Offset          `arg:"offset" default:"0" doc:"Matches to skip."`
}

// PlacePage is a page of matching places.
type PlacePage struct {
	TotalCount int     `json:"totalCount" doc:"Match count."`
	Limit      int     `json:"limit" doc:"Page size applied."`
	Offset     int     `json:"offset" doc:"Offset applied."`
	Items      []Place `json:"items" doc:"The places on this page; empty beyond the last match."`
}

// SearchCities returns the operation search_cities.
func SearchCities(g Gazetteer) *op.Operation {
	return op.Define(op.Spec{
		Name: "search_cities", Method: "GET", Path: "/v1/cities", Tag: tag.Places,
		Title: "Search the cities, communes and villages of Romania",
		Description: "Searches the 13,859 localities of Romania (municipalities, towns, communes, villages, and the " +
			"sectors of București) with tax authority and SIRUTA codes. Use it to find a place's codes, or to list " +
			"the places in a county; use search_counties instead for counties. Free, works without a key. An empty " +
			"items list means that nothing matches, even allowing for a typo.",
		Tool: true,
	}, func(_ context.Context, _ account.Caller, q PlaceQuery) (op.Answer[PlacePage], error) {
		for _, county := range q.County {
			if _, err := CountyOf(g, county); err != nil {
				return op.Answer[PlacePage]{}, err
			}
		}

		items, total := g.Places(q)
		page := PlacePage{total, int(q.Limit), int(q.Offset), items}
		return op.Answer[PlacePage]{Value: page, Freshness: op.BuiltIn}, nil
	})
}
