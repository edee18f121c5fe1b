package company

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type batchCompaniesInput struct {
	Items       BatchItems        `arg:"items" doc:"Companies, each with an optional date and reference." example:"[{\"taxId\": \"14399840\", \"reference\": \"S-1\"}]"`
	TaxIDs      TaxIDs            `arg:"taxIds" doc:"The companies by taxId alone, instead of items." example:"[\"14399840\"]"`
	View        View              `arg:"view" doc:"full: as in get_company, the default. summary: as in search_companies. verdict: fields (default taxId, name) and that of verify_supplier in short."`
	Fields      op.Array[Field]   `arg:"fields" doc:"Profile fields to return, with dots for nested ones: seat.city." example:"[\"taxId\", \"vatPayer\"]"`
	Include     op.Array[Include] `arg:"include" doc:"Parts to embed, as in get_company; balanceSheets for up to 100 companies." example:"[\"balanceSheets\"]"`
	WaitSeconds lists.WaitSeconds `arg:"waitSeconds" default:"20" doc:"Seconds to wait for the registry. Companies not available by then get status 504: retry."`
}

// BatchLimits bounds the companies of a call.
type BatchLimits struct {
	// Keyed is the maximum for callers with a key or session. Default 1,000.
	Keyed int
	// Anonymous is the maximum for other callers. Default 100.
	Anonymous int
}

const (
	maxToolCompanies = op.MaxListItems // so that the result stays below 100,000 characters
	maxToolProfiles  = 25              // likewise
	maxWithSheets    = 100
	// maxToolValues is the maximum number of values per company in a tool result of 100 companies.
	maxToolValues = 15
)

// BatchSummary summarizes the outcomes of a batch.
type BatchSummary struct {
	Count    int   `json:"count" doc:"Number of items requested."`
	Found    int   `json:"found" doc:"Number with status 200."`
	NotFound int   `json:"notFound" doc:"Number of valid ones that no register knows: a retry gives the same answer."`
	Invalid  int   `json:"invalid" doc:"Number with status 400: correct them."`
	Failed   int   `json:"failed" doc:"Number that could not be answered now: retry."`
	TookMs   int64 `json:"tookMs" doc:"Duration of the call in milliseconds."`
}

// SchemaName is the type's name in the API description.
func (BatchSummary) SchemaName() string { return "CompanyBatchSummary" }

// Batch returns the operation batch_companies.
func Batch(companies Companies, registers TaxRegisters, trade TradeRegister, judge Judge,
	limits BatchLimits) *op.Operation {
	limits = BatchLimits{Keyed: cmp.Or(limits.Keyed, 1_000), Anonymous: cmp.Or(limits.Anonymous, 100)}

	return op.DefineRows[batchCompaniesInput, *batch, *BatchItem](op.Spec{
		Name: "batch_companies", Method: "POST", Path: "/v1/companies/batch", Tag: tag.Companies,
		Title: "Get many Romanian companies at once",
		Description: fmt.Sprintf("Profiles of many Romanian companies in one call, in the order of the list: up to "+
			"%d with a key, %d without a key, %d through the tool (%d with view full). ",
			limits.Keyed, limits.Anonymous, maxToolCompanies, maxToolProfiles) +
			"Use it for more than one company; for a single one use get_company instead. Costs 1 credit per distinct " +
			"company and date found, nothing without a key, and counts as one request per 100 items. " +
			"Profiles are at most a day old, or older when the registry is down. The call returns 200; each item has " +
			"its own get_company status: 200 with company, or 400, 404, 502, 503 or 504 with problem.",
		Tool: true, ToolName: "get_companies", OpenWorld: true, Cost: 1, Entitlement: metering.CompaniesRead,
		Errors: []*problem.Kind{problem.Forbidden, problem.Unavailable},
	}, func(in batchCompaniesInput, asker op.CallerInfo) (*batch, op.RowPlan, error) {
		if err := in.chooseView(); err != nil {
			return nil, op.RowPlan{}, err
		}
		if err := in.checkSize(asker, limits); err != nil {
			return nil, op.RowPlan{}, err
		}

		return in.plan(embedding{companies: companies, registers: registers, judge: judge}, trade)
	}, runBatch)
}

// plan parses the list, and bounds its price.
func (in *batchCompaniesInput) plan(parts embedding, trade TradeRegister) (*batch, op.RowPlan, error) {
	b := &batch{batchCompaniesInput: *in, tree: selectionOf(in.Fields), cells: in.companyColumns(), today: ro.Today(),
		trade: trade, parts: parts}
	distinct, err := b.read()
	return b, op.RowPlan{Items: len(b.wanted), Most: distinct, Columns: b.columns(), Identity: b.identity}, err
}

// runBatch looks up the companies of a list for a caller.
func runBatch(ctx context.Context, caller account.Caller, b *batch, out *op.Rows) (BatchSummary, error) {
	if b.Include.Has(IncludeLegalRepresentatives) {
		if err := mayReadPersons(&caller); err != nil {
			return BatchSummary{}, err
		}
	}

	b.parts.persons = mayReadPersons(&caller) == nil
	start := time.Now()
	err := b.run(ctx, out)
	b.summary.TookMs = time.Since(start).Milliseconds()
	return b.summary, err
}

// checkSize rejects lists with too many companies. The view must have been chosen.
func (in *batchCompaniesInput) checkSize(asker op.CallerInfo, limits BatchLimits) error {
	most, who := limits.Keyed, ""
	switch {
	case asker.Channel == "mcp":
		most, who = maxToolCompanies, " through the tool"
	case !asker.Keyed:
		most, who = limits.Anonymous, fmt.Sprintf(" without a key (%d with one)", limits.Keyed)
	}

	if asker.Channel == "mcp" && in.View == FullView && (len(in.Fields) == 0 || leaves(in.Fields) > maxToolValues) {
		most, who = maxToolProfiles, fmt.Sprintf(" as profiles through the tool (100 with view=summary, or with "+
			"fields that hold at most %d values)", maxToolValues)
	}
	if in.Include.Has(IncludeBalanceSheets) && most > maxWithSheets {
		most, who = maxWithSheets, " with balance sheets"
	}

	name, n := "items", len(in.Items)
	if in.TaxIDs != nil {
		name, n = "taxIds", len(in.TaxIDs)
	}

	if n > most {
		return problem.Invalid(&problem.InputError{Parameter: name, Code: problem.TooMany,
			Accepted: fmt.Sprintf("1 to %d companies%s", most, who),
			Reason: fmt.Sprintf("it has %d companies, and a call takes at most %d%s; send the rest in further calls, "+
				"or all as a file to POST /v1/jobs", n, most, who)})
	}

	return nil
}

// chooseView chooses the view: full unless a summary was requested. Requested fields and parts imply the full view, and
// the view of verdicts consists of fields.
func (in *batchCompaniesInput) chooseView() error {
	if in.View == VerdictView {
		in.Fields = WithVerdict(in.Fields)
	}

	for _, f := range in.Fields {
		part, _, _ := strings.Cut(string(f), ".")
		if slices.Contains(Includes, Include(part)) && !in.Include.Has(Include(part)) {
			in.Include = append(in.Include, Include(part))
		}
	}

	switch {
	case in.View == SummaryView && len(in.Include) > 0:
		return problem.Invalid(&problem.InputError{Parameter: "view", Code: problem.Conflict,
			Accepted: "full, with parts to embed",
			Reason:   "a summary has no parts to embed; leave out view, or include"})
	case in.View == "", len(in.Fields) > 0:
		in.View = FullView
	}

	return nil
}

// companyColumns are the columns with a company's values.
func (in *batchCompaniesInput) companyColumns() []string {
	if len(in.Fields) == 0 {
		return SummaryFields
	}

	return op.Texts(in.Fields)
}
