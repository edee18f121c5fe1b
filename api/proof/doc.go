// Package proof is the operations of signed receipts: proof that a company or VAT number was checked, and the public
// keys that verify it.
package proof
