package search

import (
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
)

// Firm is a company in the index.
type Firm struct {
	// TaxID is the CUI; 0 if the register has none.
	TaxID ro.CUI
	// Name is the registered name, including the legal form if the register has it there.
	Name string
	// Form is the abbreviation of the legal form: SRL, PFA.
	Form string
	// Number is the trade register number in the register's format, and EUID the European identifier. A search finds
	// the firm by either format of the number.
	Number, EUID string
	// Registered is the day of registration; 0 if unknown.
	Registered ro.Date
	// State is the state of the company; empty counts as unknown.
	State company.StateRegistration
	// SeatExpired reports whether the right to use the registered office has expired.
	SeatExpired bool
	// County is the official number of the county of the registered office, or 0 if unknown. City is the name of the
	// place. SIRUTA is the code of the place, or 0 if unknown.
	County int
	City   string
	SIRUTA int
	// Address is the registered office on one line; PostalCode has 6 digits or is empty.
	Address, PostalCode, Website string
	// Codes are the authorised CAEN activities, each preceded by its revision: "2:6201", "3:6210". The revisions are 0
	// (of 1998), 1 (2003), 2 (2008) and 3 (2025).
	Codes []string
	// Main is the class of the main activity, four digits; empty if unknown.
	Main string
	// Extra is stored and returned with the firm; the index does not interpret it.
	Extra []byte
}
