package history

// Status is one of the registrations of a company that the tax authority tells of a day.
type Status int

// The statuses, in the order in which they are shown.
const (
	VATPayer Status = iota
	VATOnCollection
	VATSplit
	Inactive
	EInvoice

	Statuses // how many there are
)

var statusNames = [Statuses]string{"vatPayer", "vatOnCollection", "vatSplit", "inactive", "eInvoice"}

// String is the status's field in answers.
func (s Status) String() string { return statusNames[s] }
