// Package store keeps customers, payments and invoices in the accounts' database. The schema and its migrations are
// part of account/store.
package store

import accounts "github.com/rodata/rodata/account/store"

// Store stores customers, payments and invoices, and is an [efactura.TokenRepository]. Its methods may be called
// concurrently and by several processes. Every change is one transaction, and survives a crash and a power cut once it
// is committed.
type Store struct{ db *accounts.DB }

// New returns the store in an open database.
func New(db *accounts.DB) *Store { return &Store{db} }
