// Package client is the Go client of a rodata gateway: Romanian companies, their statuses on a day, VAT numbers of the
// Union, exchange rates, CAEN codes, watch-lists and their events, and jobs over files.
//
// A [Client] is created once and is safe for concurrent use. Every error answer of the gateway is a *[Problem], which
// errors.As finds; programs decide by its Code. A call that fails with 429 or 503 is retried after its Retry-After. A
// value that no registry provides is nil, never false or empty.
//
// The package imports only the standard library.
package client
