package compat

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// yearArg is a year of four digits.
type yearArg int

// UnmarshalText parses the year.
func (y *yearArg) UnmarshalText(text []byte) error {
	year, err := strconv.ParseUint(string(text), 10, 16)
	if err != nil || len(text) != 4 {
		return &problem.InputError{Code: problem.InvalidFormat, Accepted: "a year, as 2025"}
	}

	*y = yearArg(year)
	return nil
}

// Schema describes the year.
func (yearArg) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "integer"} }

// companyArg is a company's number, as in inquiries.
type companyArg struct {
	inquiryItem
}

// UnmarshalText parses the number.
func (c *companyArg) UnmarshalText(text []byte) (err error) {
	c.number, c.cui, err = readCUI(string(text))
	return err
}

// Schema describes the number.
func (companyArg) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "string"} }

type statementInput struct {
	Company companyArg `arg:"cui" required:"true" doc:"Tax id."`
	Year    yearArg    `arg:"an" required:"true" doc:"Year."`
}

// getStatement returns the operation behind /bilant: a company's annual financial statement.
// Only a statement that was filed is charged.
func getStatement(tax company.TaxRecords) *op.Operation {
	return op.DefineRows[statementInput, statementInput, *outcome](op.Spec{
		Name: "get_statement", Method: http.MethodGet, Cost: 1, Entitlement: metering.CompaniesRead,
		Errors: []*problem.Kind{problem.UpstreamError, problem.Unavailable, problem.UpstreamTimeout},
	}, func(in statementInput, _ op.CallerInfo) (statementInput, op.RowPlan, error) {
		return in, op.RowPlan{Items: 1, Most: 1}, nil
	}, func(ctx context.Context, _ account.Caller, in statementInput, out *op.Rows) (struct{}, error) {
		o := outcome{inquiryItem: in.Company.inquiryItem, unknown: true, Freshness: builtIn}
		if o.isPossible() {
			o = outcomeOf(tax.StatementRecord(ctx, o.cui, int(in.Year)))
		}
		if o.err != nil {
			return struct{}{}, o.err
		}

		o.free = isUnfiled(o.record)
		return struct{}{}, out.Send([]op.Row{&o})
	})
}

// isUnfiled reports whether a statement has no indicators, which is how the tax authority indicates that none was
// filed.
func isUnfiled(statement []byte) bool {
	var s struct {
		Indicators []json.RawMessage `json:"i"`
	}
	return json.Unmarshal(statement, &s) != nil || len(s.Indicators) == 0
}

// serveStatement answers a request for an annual financial statement. If it was not filed, the answer has no
// indicators, like the tax authority's.
func (x *exchange) serveStatement() {
	call, rows := x.call(), new(rowCollector)
	call.Rows = rows
	query := x.r.URL.Query()
	var company companyArg
	var year yearArg
	if company.UnmarshalText([]byte(query.Get("cui"))) != nil || year.UnmarshalText([]byte(query.Get("an"))) != nil {
		call.Malformed = problem.Invalid(&problem.InputError{
			Code: problem.InvalidFormat, Accepted: "a year and a company's number, as an=2025&cui=1590082",
			Reason: "the address must be as /bilant?an=2025&cui=1590082, with a year and a company's number",
		})
	}

	call.Args = op.Args{{Name: "cui", Text: query.Get("cui")}, {Name: "an", Text: query.Get("an")}}
	reply := x.Gateway.Do(x.r.Context(), x.Operations.statements, call)
	a := newAnswer(rows.rows, bare, false)
	a.body = fmt.Appendf(nil, `{"an":%d,"cui":%d,"deni":"","caen":null,"den_caen":"","i":[]}`, year, company.number)
	for _, o := range rows.rows { // at most one
		if o.record != nil {
			a.body = o.record
		}
	}

	x.writeAnswer(reply, a, http.StatusOK)
}
