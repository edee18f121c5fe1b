package compat

import (
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// serveTaxpayers answers an inquiry in version 9 of the tax authority's protocol.
func (x *exchange) serveTaxpayers() { x.answerInquiry(x.Operations.taxpayers, bare, true) }

// serveEnveloped answers an inquiry in version 8, which wraps the lists.
func (x *exchange) serveEnveloped() { x.answerInquiry(x.Operations.taxpayers, enveloped, true) }

// serveEInvoices answers from the RO e-Factura register, whose records have no day.
func (x *exchange) serveEInvoices() { x.answerInquiry(x.Operations.eInvoices, bare, false) }

func (x *exchange) answerInquiry(o *op.Operation, envelope string, dated bool) {
	call, rows := x.inquiry()
	reply := x.Gateway.Do(x.r.Context(), o, call)
	a := newAnswer(rows.rows, envelope, dated)
	x.writeAnswer(reply, a, a.status())
}

// inquiry returns the call for a request with an inquiry, and the collector of its rows.
func (x *exchange) inquiry() (*op.Call, *rowCollector) {
	call, rows := x.call(), new(rowCollector)
	call.Rows = rows
	body, err := x.readInquiry()
	if err == nil {
		// The argument checks this too, but with another error message.
		_, err = parseInquiry(body, ro.Today())
	}

	call.Malformed = err
	call.Args = op.Args{{Name: "items", JSON: string(body)}}
	return call, rows
}
