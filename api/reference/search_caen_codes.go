package reference

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// ActivityQuery is a query for entries of the classification; absent fields do not restrict it.
type ActivityQuery struct {
	Q        op.Text           `arg:"q" doc:"An activity, in Romanian or English: everyday words (frizerie, car repair) or words of the official name; or the beginning of a code." example:"frizerie"`
	Code     op.List[CAENCode] `arg:"code" doc:"Codes, separated by commas; nonexistent ones are ignored." example:"6210,6220"`
	Type     CAENLevel         `arg:"type" doc:"Level in the hierarchy." example:"class"`
	Parent   CAENCode          `arg:"parent" doc:"Only entries directly below this code or, with type, those below it at that level. For a Rev.2 code that Rev.3 dropped, parentReplacedBy has its successors." example:"62"`
	Replaces Rev2Code          `arg:"replaces" doc:"Only Rev.3 codes that replace this Rev.2 code." example:"6201"`
	Limit    op.Limit          `arg:"limit" default:"50" doc:"Page size, 1 to 100."`
	Offset   op.Offset         `arg:"offset" default:"0" doc:"Matches to skip."`
}

// ActivityPage is a page of matching entries.
type ActivityPage struct {
	TotalCount int        `json:"totalCount" doc:"Match count."`
	Limit      int        `json:"limit" doc:"Page size applied."`
	Offset     int        `json:"offset" doc:"Offset applied."`
	ReplacedBy []CAENCode `json:"parentReplacedBy,omitempty" doc:"Only for a parent of Rev.2 that Rev.3 dropped: the Rev.3 codes that replace it. The items are below them."`
	Items      []Activity `json:"items" doc:"The entries on this page; empty beyond the last match."`
}

// SearchCAENCodes returns the operation search_caen_codes.
func SearchCAENCodes(c Classification) *op.Operation {
	return op.Define(op.Spec{
		Name: "search_caen_codes", Method: "GET", Path: "/v1/caen-codes", Tag: tag.CAEN, TextNumbers: true,
		Title: "Search the CAEN Rev.3 classification of activities",
		Description: "Searches CAEN Rev.3, the Romanian classification of activities (NACE Rev.2.1), by words, code, " +
			"level, parent or replaced Rev.2 code; without a filter, lists all of it. Use it to find the code of an " +
			"activity, or what replaces a Rev.2 code; use get_caen_code instead if the code is known. Free, works " +
			"without a key. An empty items list means that nothing matches: try fewer or shorter words.",
		Tool: true,
		// No call returns these, but generated clients have their types, so the contract keeps them.
		Errors: []*problem.Kind{problem.NotFound, problem.CAENCodeReplaced},
	}, func(_ context.Context, _ account.Caller, q ActivityQuery) (op.Answer[ActivityPage], error) {
		if err := CheckActivity(c, "parent", q.Parent, acceptedCAENCode, "code"); err != nil {
			return op.Answer[ActivityPage]{}, err
		}

		items, total := c.Search(q)
		page := ActivityPage{total, int(q.Limit), int(q.Offset), SuccessorCodes(c, q.Parent), items}
		return op.Answer[ActivityPage]{Value: page, Freshness: op.BuiltIn}, nil
	})
}
