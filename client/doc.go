// Package client is the Go client of a rodata gateway: Romanian companies and their statuses on a date, EU VAT numbers,
// exchange rates, CAEN codes, watch-lists and their events, and jobs on files.
//
// A [Client] is created once and is safe for concurrent use. An error answer of the gateway is returned as a
// *[Problem], for use with errors.As; programs should switch on its Code. Calls that fail with 429 or 503 are retried
// after their Retry-After. A value that no registry provides is nil, never false or empty.
//
// The package imports only the standard library.
package client
