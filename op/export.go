package op

import (
	"context"
	"strings"

	"github.com/rodata/rodata/op/jsonschema"
)

// Export is an operation's answer as a table: a file with more rows than a page of its JSON, priced by their number.
type Export struct {
	// Document is the file, in the requested media type.
	Document *Document
	// Next is the value of the parameter after that continues the export; empty after the last row.
	Next string
	Freshness
}

// RowsPerPrice is the number of exported rows that cost as much as one call of the operation. Their number is
// rounded up to whole hundreds.
const RowsPerPrice = 100

// MaxExportRows is the maximum number of rows of an export.
const MaxExportRows = 10_000

// ExportRows parses the maximum number of rows of a file, 1 to MaxExportRows.
func ExportRows(text []byte) (n int, ok bool) {
	n, ok = Count(text, 5)
	return n, ok && 1 <= n && n <= MaxExportRows
}

// WithExport adds an export to an operation: its alternates, which have additional parameters and a separate price. The
// export shares the route of the operation. Its run reserves the price of the rows and creates the file. The gateway
// charges the price afterwards, before it sends the file.
func (op *Operation) WithExport(export *Operation) *Operation {
	export.Method, export.Path, export.Tag, export.Entitlement = op.Method, op.Path, op.Tag, op.Entitlement
	op.Alternates = export.Alternates
	op.offers, export.offers = offers(op.Spec), offers(op.Spec)
	op.export = export

	formats := strings.Join(op.Formats()[1:], " or ")
	op.binding.exported = make(map[string]string)
	for _, p := range export.binding.params {
		if !op.binding.takes(p.Name) {
			op.binding.exported[p.Name] = formats
		}
	}

	return op
}

// DefineExport returns an operation for WithExport.
func DefineExport[In any](
	spec Spec, run func(ctx context.Context, in In, media string, price Payment) (Export, error),
) *Operation {
	op := define(spec, func(call *Observation, in In) (Answer[Export], error) {
		made, err := run(&call.context, in, call.Reply.media, call.payment)
		if err != nil {
			return Answer[Export]{}, err
		}
		if !call.payment.isUnchanged(made.Document) {
			err = call.payment.Charge(&call.context)
		}

		call.Reply.Next = made.Next
		return Answer[Export]{Renderer: made, Freshness: made.Freshness}, err
	})
	op.sells = true
	op.exports = true
	return op
}

// Render implements Renderer.
func (e Export) Render(context.Context, string, string) (*Document, error) { return e.Document, nil }

// Schema describes a file.
func (Export) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "string", Format: "binary"} }

// ForMedia returns the operation for a media type: the export, if there is one and the type is not the default.
func (op *Operation) ForMedia(media string) *Operation {
	if media == "" || op.export == nil {
		return op
	}
	return op.export
}

// Export returns the operation's export; nil if it has none.
func (op *Operation) Export() *Operation { return op.export }

// Exports returns the exports of operations. They are not in the table: they share the routes of their operations.
func Exports(ops []*Operation) (exports []*Operation) {
	for _, op := range ops {
		if op.export != nil {
			exports = append(exports, op.export)
		}
	}

	return exports
}
