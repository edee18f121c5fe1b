package index

import "github.com/rodata/rodata/api"

// Firm is one company as the index takes it in and gives it back.
type Firm struct {
	// TaxID is the CUI; 0 when the register has none.
	TaxID int64
	// Name is the registered name, with its legal form if the register writes it.
	Name string
	// Form is the abbreviation of the legal form: SRL, PFA.
	Form string
	// Number is the trade-register number as the register gives it, EUID the
	// European identifier; either spelling of the number finds the firm.
	Number, EUID string
	// Registered is the day of registration; the zero value when it is not known.
	Registered api.Date
	// State is the state of the company; empty counts as unknown.
	State api.StateRegistration
	// County is the official number of the county of the seat, 0 when unknown;
	// City the place as it is called, SIRUTA its code or 0.
	County int
	City   string
	SIRUTA int
	// Address is the seat in one line; PostalCode has 6 digits or is empty.
	Address, PostalCode, Website string
	// Codes are the authorised CAEN activities, each with the number of its
	// revision before it: "2:6201", "3:6210" (0 is of 1998, 1 of 2003, 2 of 2008,
	// 3 of 2025).
	Codes []string
	// Main is the main activity in the same form, or only its digits; empty where
	// it is not known.
	Main string
	// Extra is whatever the register wants back with the firm; the index does not
	// look into it.
	Extra []byte
}
