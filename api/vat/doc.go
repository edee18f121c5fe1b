// Package vat is the operations of VAT numbers: numbers of the European Union are checked with VIES, one or many.
package vat
