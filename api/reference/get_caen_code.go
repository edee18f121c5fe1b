package reference

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

type getCAENCodeInput struct {
	Code CAENCode `arg:"code" in:"path" doc:"CAEN Rev.3 code: a section letter (A to V), or 2, 3 or 4 digits." example:"6210"`
}

// GetCAENCode returns the operation get_caen_code.
func GetCAENCode(c Classification) *op.Operation {
	return op.Define(op.Spec{
		Name: "get_caen_code", Method: "GET", Path: "/v1/caen-codes/{code}", Tag: tag.CAEN,
		Title: "Get a CAEN Rev.3 activity code",
		Description: "One entry of CAEN Rev.3, the Romanian classification of activities (NACE Rev.2.1): names, " +
			"parent and direct child entries, and the Rev.2 codes that it replaces. Use it when the code is known, " +
			"for example a company's mainNaceCode; use search_caen_codes instead to find a code. Free, works without " +
			"a key. The data changes only with a release of the service. A Rev.2 code that Rev.3 dropped returns a " +
			"404 that lists its successors; a code in both is read as Rev.3.",
		Tool: true, Errors: []*problem.Kind{problem.NotFound, problem.CAENCodeReplaced},
	}, func(_ context.Context, _ account.Caller, in getCAENCodeInput) (op.Answer[ActivityDetail], error) {
		answer, ok := c.Activity(in.Code)
		if !ok && len(in.Code) == len("610") && len(c.Successors(in.Code)) == 0 {
			answer, ok = c.Activity("0" + in.Code) // the tax authority and spreadsheets drop the zero of a class
		}
		if !ok {
			return answer, noSuchActivity(c, in.Code)
		}

		answer.Freshness = op.BuiltIn
		return answer, nil
	})
}
