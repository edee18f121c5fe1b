package history

import "github.com/rodata/rodata/api/company"

// Status is a company's registration in one of the tax authority's registers.
type Status int

// The statuses, in display order.
const (
	VATPayer Status = iota
	VATOnCollection
	VATSplit
	Inactive
	EInvoice

	StatusCount // their number
)

var statusNames [StatusCount]string = company.StatusNames

// String returns the status's field name in answers.
func (s Status) String() string { return statusNames[s] }
