package compat

import (
	"github.com/rodata/rodata/api"
)

// Registries answer what the protocols ask for.
type Registries struct {
	// Companies are the profiles, which carry the tax authority's records.
	Companies api.Companies
	// Bank is the central bank's archive of fixings.
	Bank api.Publications
	// Answers are those of the asynchronous form.
	Answers *Answers
}

// Operations are the operations behind the routes of this channel, beside the table's. They
// are in no description: the registries' own documentation describes the protocols.
type Operations struct {
	taxpayers, fetch *api.Operation
	rates            *api.Operation
	answers          *Answers
}

// NewOperations returns the operations over the registries.
func NewOperations(r Registries) *Operations {
	return &Operations{
		taxpayers: answerInquiries("find_taxpayers", taxpayers(r.Companies)),
		fetch:     fetchAnswer(r.Answers),
		rates:     getRateFile(r.Bank),
		answers:   r.Answers,
	}
}

// All returns the operations, for those who count calls.
func (o *Operations) All() []*api.Operation {
	return []*api.Operation{o.taxpayers, o.fetch, o.rates}
}
