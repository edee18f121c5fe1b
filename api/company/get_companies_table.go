package company

import (
	"fmt"
	"strings"

	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

type getCompaniesTableInput struct {
	TaxIDs      TableIDs          `arg:"taxIds" required:"true" max:"1500" doc:"The companies by tax id (CUI, with or without RO) or trade-register number, separated by commas: up to 50." example:"14399840,RO1590082"`
	Fields      op.List[Field]    `arg:"fields" doc:"Profile fields to return, separated by commas, with dots for nested ones: seat.city. Default: the fields of search_companies." example:"taxId,name,vatPayer"`
	Delimiter   op.Delimiter      `arg:"delimiter" default:"," doc:"Cell separator: a comma, semicolon or tab. With a semicolon, the file begins with a byte order mark, for spreadsheets in Romanian."`
	WaitSeconds lists.WaitSeconds `arg:"waitSeconds" default:"20" doc:"Seconds to wait for the registry, 1 to 25. Companies not available by then get status 504: retry."`
}

// GetTable returns the look-up of a few companies by GET, for spreadsheets that import a table from a URL.
func GetTable(companies Companies, registers TaxRegisters, trade TradeRegister, judge Judge) *op.Operation {
	o := op.DefineRows[getCompaniesTableInput, *batch, *BatchItem](op.Spec{
		Name: "get_companies_table", Method: "GET", Path: "/v1/companies.csv", Tag: tag.Companies, Media: "text/csv",
		Title: "Get a few Romanian companies as a CSV table",
		Description: fmt.Sprintf("Up to %d companies as a CSV table with one row each, in the order of the list, for "+
			"formulas that read a table from a URL, such as IMPORTDATA in Google Sheets. ", mostTableIDs) +
			"The first columns are input, reference (empty here), status and problem; status is the one that " +
			"get_company would return. The last one, asOf, is the day that the row is about. For more companies use POST /v1/companies/batch. Costs 1 credit per distinct " +
			"company found; free without a key, limited by IP address.",
		OpenWorld: true, Cost: 1, Entitlement: metering.CompaniesRead,
		Errors: []*problem.Kind{problem.Forbidden, problem.Unavailable},
	}, func(in getCompaniesTableInput, asker op.CallerInfo) (*batch, op.RowPlan, error) {
		list := batchCompaniesInput{TaxIDs: TaxIDs(in.TaxIDs), Fields: op.Array[Field](in.Fields),
			WaitSeconds: in.WaitSeconds}
		if err := list.chooseView(); err != nil {
			return nil, op.RowPlan{}, err
		}

		b, plan, err := list.plan(embedding{companies: companies, registers: registers, judge: judge}, trade)
		plan.Identity, plan.Form = nil, lists.CSV{Delimiter: rune(in.Delimiter)}
		return b, plan, err
	}, runBatch)
	o.DescribeOutput(jsonschema.Schema{Type: "string", Description: "A header line, then a line per company."})
	return o
}

// TableIDs is a list of tax ids or trade register numbers in one text. A number may be repeated.
type TableIDs []string

// mostTableIDs is the maximum number of items of the list, because the length of a URL is limited.
const mostTableIDs = 50

// UnmarshalText parses the items; surrounding space is dropped.
func (l *TableIDs) UnmarshalText(text []byte) error {
	items := strings.Split(string(text), ",")
	if len(items) > mostTableIDs {
		return &problem.InputError{Code: problem.TooMany, Accepted: fmt.Sprintf("1 to %d companies", mostTableIDs),
			Reason: fmt.Sprintf("it has %d companies, and a table takes at most %d; send the rest in further calls, "+
				"or all of them with POST /v1/companies/batch", len(items), mostTableIDs)}
	}

	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}

	*l = items
	return nil
}

// Schema describes the list in its text form.
func (TableIDs) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "string", MinLength: 1} }
