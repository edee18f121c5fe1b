// Package client is the Go client of a rodata gateway: Romanian companies, the statuses that they had on a day, VAT
// numbers of the Union, exchange rates, CAEN codes, watch-lists and their events, and jobs over files.
//
// A [Client] is made once and may be used by many goroutines. Every error answer of the gateway is a *[Problem], which
// errors.As finds; programs decide by its Code. A call that the gateway refuses with 429 or 503 is tried again after
// the time that it names. A value that no registry gave is nil, never false or empty.
//
// The package imports nothing but the standard library.
package client
