// Package ro defines the values that registries and callers write: tax ids, VAT numbers, days, amounts and currencies.
// A value that was parsed is valid: UnmarshalText verifies it, and its error is a problem.InputError with the accepted
// form. Schema describes the form to clients.
package ro
