// Package receipt issues receipts: signed statements of what was answered about a company, from which record, and when.
//
// A receipt is a JWT whose claim "statement" is an [api.Statement]. Its id is made of the SHA-256 of that claim as it
// stands in the JWT, so that the same statement has the same receipt. Whoever has the JWT and the public keys can
// verify it without the service.
package receipt
