// Package receipt issues receipts: signed statements about an answer on a company, its record, and its time.
//
// A receipt is a JWT with an [proof.Statement] in its claim "statement". Its id is derived from the SHA-256 of that
// claim as encoded in the JWT, so equal statements have the same receipt. Anyone with the JWT and the public keys can
// verify it without the service.
package receipt
