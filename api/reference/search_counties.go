package reference

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
)

// CountyQuery is a query for counties; absent fields do not restrict it.
type CountyQuery struct {
	Q      op.Text          `arg:"q" doc:"Name or plate code, or part of it." example:"bistrita"`
	ID     op.List[PlaceID] `arg:"id" doc:"Official county numbers, separated by commas; nonexistent ones are ignored." example:"12,40"`
	Limit  op.Limit         `arg:"limit" default:"50" doc:"Page size, 1 to 100."`
	Offset op.Offset        `arg:"offset" default:"0" doc:"Matches to skip."`
}

// CountyPage is a page of matching counties.
type CountyPage struct {
	TotalCount int      `json:"totalCount" doc:"Match count."`
	Limit      int      `json:"limit" doc:"Page size applied."`
	Offset     int      `json:"offset" doc:"Offset applied."`
	Items      []County `json:"items" doc:"The counties on this page; empty beyond the last match."`
}

// SearchCounties returns the operation search_counties.
func SearchCounties(g Gazetteer) *op.Operation {
	return op.Define(op.Spec{
		Name: "search_counties", Method: "GET", Path: "/v1/counties", Tag: tag.Places,
		Title: "List or search the counties of Romania",
		Description: "The 42 counties of Romania (județe, and București) with official numbers, plate codes, tax " +
			"authority and SIRUTA codes, by name; limit=42 lists all. " +
			"Use it to find a county's codes; use search_cities instead for towns, communes and villages. " +
			"Free, works without a key. An empty items list means that no county matches.",
		Tool: true,
	}, func(_ context.Context, _ account.Caller, q CountyQuery) (op.Answer[CountyPage], error) {
		items, total := g.Counties(q)
		page := CountyPage{total, int(q.Limit), int(q.Offset), items}
		return op.Answer[CountyPage]{Value: page, Freshness: op.BuiltIn}, nil
	})
}
