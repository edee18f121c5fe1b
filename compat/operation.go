package compat

import (
	"github.com/rodata/rodata/api"
)

// Registries answer what the protocols ask for.
type Registries struct {
	// Companies are the profiles, which carry the tax authority's records.
	Companies api.Companies
	// Tax has the tax authority's other records.
	Tax api.TaxRecords
	// Bank is the central bank's archive of fixings.
	Bank api.Publications
	// Answers are those of the asynchronous form.
	Answers *Answers
}

// Operations are the operations behind the routes of this channel, beside the table's. They
// are in no description: the registries' own documentation describes the protocols.
type Operations struct {
	taxpayers, eInvoices, statements *api.Operation
	fetch                            *api.Operation
	rates                            *api.Operation
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

// All returns the operations, for those who count calls.
func (o *Operations) All() []*api.Operation {
	return []*api.Operation{o.taxpayers, o.eInvoices, o.statements, o.fetch, o.rates}
}
