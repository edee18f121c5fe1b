// Package proof defines the operations on signed receipts, which prove that a company or a VAT number was checked, and
// on the public keys that verify them.
package proof
