// Package store keeps customers, payments and invoices in the accounts' database. The schema and its migrations are
// part of account/store.
package store

import (
	accounts "github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/billing"
	"github.com/rodata/rodata/billing/efactura"
)

// Store is a [billing.Store] and an [efactura.TokenRepository]. A committed change survives a crash and a power cut.
type Store struct{ db *accounts.DB }

// New returns the store in an open database.
func New(db *accounts.DB) *Store { return &Store{db} }

var (
	_ billing.Store            = (*Store)(nil)
	_ efactura.TokenRepository = (*Store)(nil)
)
