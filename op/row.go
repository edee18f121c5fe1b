package op

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op/jsonschema"
)

// NDJSONType is the media type of a stream of rows, with one JSON text per line.
const NDJSONType = "application/x-ndjson"

// Row is one item of an answer that is sent row by row.
type Row interface {
	// Position is the row's place in the whole answer, from 0.
	Position() int
	// IsCharged reports whether the operation's cost is charged for the row.
	IsCharged() bool
	// IsStored reports whether the row was known without querying a registry.
	IsStored() bool
	// AppendJSON appends the row as a JSON object. The types of problems are URLs below baseURL.
	AppendJSON(b []byte, baseURL string) []byte
	// Cells returns the row's values in the columns of a table.
	Cells() []string
}

// RowWriter sends rows as they become known. The gateway charges for rows before it passes them on, so a client that
// disconnects has paid for at most one group of rows that it did not receive.
type RowWriter interface {
	// Begin is called once, before any rows, with the reply so far.
	Begin(*Reply)
	// Write sends a group of rows. An empty one signals that the call continues.
	Write([]Row) error
}

// CallerInfo has the facts about a caller that an operation may need before it runs. Limits and defaults depend on it.
type CallerInfo struct {
	// Keyed reports whether the caller is an account, with a key or a session.
	Keyed bool
	// Channel is the call's channel.
	Channel string
}

func callerInfo(call *Call, caller *account.Caller) CallerInfo {
	return CallerInfo{Keyed: caller.Plan != nil, Channel: call.Channel}
}

// RowPlan bounds an operation that answers row by row.
type RowPlan struct {
	// Items is the number of requested items. Most is the maximum number of rows that can be charged.
	Items, Most int
	// Identity returns a text that is equal for equal requests, for the Idempotency-Key. It is nil if the operation
	// accepts no Idempotency-Key.
	Identity func() string
	// Columns are the names of the cells.
	Columns []string
	// Form is the form of the answer, regardless of the Accept header; nil lets the caller choose.
	Form RowForm
}

// RowForm is a form of rows in one document, other than JSON.
type RowForm interface {
	// Document returns the rows under the names of their cells. The name of a file is the given one with an extension.
	Document(columns []string, rows []Row, name string) (*Document, error)
}

// byRow describes how an operation answers row by row.
type byRow struct {
	plan func(bound any, asker CallerInfo) (work any, _ RowPlan, _ error)
	run  func(ctx context.Context, caller account.Caller, work any, out *Rows) (summary any, err error)
	item jsonschema.Schema
	// summary is the schema of the summary of all rows.
	summary jsonschema.Schema
}

// DefineRows returns an operation that answers row by row. plan turns the input into work and limits the cost. run
// sends each row as soon as it is known and returns a summary, which must encode as a JSON object. Spec.Cost is the
// price of a row. Callers receive a JSON object with the members of the summary followed by all rows as items, a CSV
// table, or a stream of rows that ends with the summary.
func DefineRows[In, Work any, Item Row, Summary any](
	spec Spec, plan func(In, CallerInfo) (Work, RowPlan, error),
	run func(context.Context, account.Caller, Work, *Rows) (Summary, error),
) *Operation {
	op := newOperation[In](spec)
	item := outputSchema(reflect.TypeFor[Item]())
	summary := jsonschema.Of(reflect.TypeFor[Summary]())
	op.output = summary
	op.output.Name = strings.TrimSuffix(summary.Name, "Summary")
	items := jsonschema.Schema{Type: "array", Items: &item,
		Description: "One for each requested item, in the same order."}
	op.output.Properties = append(slices.Clip(op.output.Properties), jsonschema.Property{Name: "items", Schema: items})
	op.output.Required = append(slices.Clip(op.output.Required), "items")

	op.rows = &byRow{
		item: item, summary: summary,
		plan: func(bound any, asker CallerInfo) (any, RowPlan, error) { return plan(bound.(In), asker) },
		run: func(ctx context.Context, caller account.Caller, work any, out *Rows) (any, error) {
			return run(ctx, caller, work.(Work), out)
		},
	}

	return op
}
