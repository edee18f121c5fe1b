package compat

import (
	"github.com/rodata/rodata/api"
)

// Registries answer what the protocols ask for.
type Registries struct {
	// Bank is the central bank's archive of fixings.
	Bank api.Publications
}

// Operations are the operations behind the routes of this channel, beside the table's. They
// are in no description: the registries' own documentation describes the protocols.
type Operations struct {
	rates *api.Operation
}

// NewOperations returns the operations over the registries.
func NewOperations(r Registries) *Operations {
	return &Operations{rates: getRateFile(r.Bank)}
}

// All returns the operations, for those who count calls.
func (o *Operations) All() []*api.Operation { return []*api.Operation{o.rates} }
