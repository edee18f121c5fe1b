// Package vat defines the operations on VAT numbers of the European Union: VIES checks one or many.
package vat
