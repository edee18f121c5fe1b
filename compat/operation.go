package compat

import (
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/op"
)

// Registries are the dependencies of the protocols.
type Registries struct {
	// Companies returns the profiles, which contain the tax authority's records.
	Companies company.Companies
	// Tax returns the tax authority's other records.
	Tax company.TaxRecords
	// Bank is the central bank's archive of fixings.
	Bank rate.Publications
	// Answers are the waiting answers of the asynchronous form.
	Answers *Answers
}

// Operations are the operations behind the routes of this channel, besides the table's. They are not in the API
// description: the registries' own documentation covers the protocols.
type Operations struct {
	taxpayers, eInvoices, statements *op.Operation
	fetch                            *op.Operation
	rates                            *op.Operation
	answers                          *Answers
}

// NewOperations returns the operations over the registries.
func NewOperations(r Registries) *Operations {
	return &Operations{
		taxpayers:  answerInquiries("find_taxpayers", taxpayers(r.Companies)),
		eInvoices:  answerInquiries("find_e_invoice_users", eInvoices(r.Tax)),
		statements: getStatement(r.Tax),
		fetch:      fetchAnswer(r.Answers),
		rates:      getRateFile(r.Bank),
		answers:    r.Answers,
	}
}

// All returns the operations, for metrics.
func (o *Operations) All() []*op.Operation {
	return []*op.Operation{o.taxpayers, o.eInvoices, o.statements, o.fetch, o.rates}
}
