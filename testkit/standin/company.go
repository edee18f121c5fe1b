package standin

import (
	"slices"
	"strconv"

	"github.com/rodata/rodata/ro"
)

// Company is an invented company, with the properties that callers may rely on.
type Company struct {
	// CUI is its number: it starts with 99000 and has a valid check digit.
	CUI ro.CUI
	// Name is its name without the legal form, with comma-below diacritics. The registers spell them with cedillas.
	Name string
	// Form is the abbreviation of its legal form: SRL, SA, SNC, SC, PFA or II.
	Form string
	// RegisterNumber is its trade register number, in the old format (J12/101/2012) or the new one (J2025000110006).
	RegisterNumber string
	// Registered is the day of its registration.
	Registered ro.Date
	// State is its state, since the day Since.
	State State
	Since ro.Date
	// Inactivity is its last entry in the register of inactive taxpayers, zero for most.
	Inactivity Inactivity
	// VAT are its periods as a VAT payer, oldest first.
	VAT []Registration
	// SplitVAT is the period in which the company split its VAT payments. It is zero for most companies, because the
	// scheme was repealed on 2020-02-01.
	SplitVAT Period
	// OnCollection is true if the company pays VAT on collection today.
	OnCollection bool
	// EInvoice is the day on which the company joined the e-Factura register, or 0.
	EInvoice ro.Date
	// Farmer and NonProfit are its registrations as a farmer in the flat-rate scheme and as a non-profit, zero for
	// most.
	Farmer, NonProfit Period
	// Phone and Website are empty for most.
	Phone, Website string

	index    int // 1 for the first company; distributes the quirks
	seat     place
	abroad   bool // its head office is in another country
	street   string
	number   string
	activity activity
}

// Period is a period as a VAT payer, or in the register of VAT on collection.
type Period struct {
	// From is the first day. To is the day after the last, or 0 if the period is open.
	From, To ro.Date
}

// Registration is a period as a VAT payer.
type Registration struct {
	Period
	// Entered is the day on which the end was entered, or 0 if there is no end. It may be weeks after the end.
	Entered ro.Date
	// Reason is the reason for its end, in the tax authority's words.
	Reason string
}

// Inactivity is an entry in the register of inactive taxpayers.
type Inactivity struct {
	// Period is from the declaration to the reactivation.
	Period
	// Published is the day on which the declaration was published.
	Published ro.Date
}

// PaysVAT reports whether the company is a VAT payer on a day.
func (c Company) PaysVAT(day ro.Date) bool {
	return slices.ContainsFunc(c.VAT, func(r Registration) bool { return r.covers(day) })
}

// InEInvoice reports whether the company is in the RO e-Factura register on a day.
func (c Company) InEInvoice(day ro.Date) bool { return Period{From: c.EInvoice}.covers(day) }

// covers reports whether a day is within the period.
func (p Period) covers(day ro.Date) bool {
	return p.From != 0 && p.From <= day && (p.To == 0 || day < p.To)
}

// covers reports whether a day is within one of the periods.
func covers(periods []Period, day ro.Date) bool {
	return slices.ContainsFunc(periods, func(p Period) bool { return p.covers(day) })
}

// code returns the activity code at the tax authority, in the revision that was in force at the company's last update.
func (c Company) code() string {
	if wordings[c.State].ended {
		return c.activity.code2
	}
	return c.activity.code3
}

// taxName returns the name in the tax authority's registers.
func (c Company) taxName() string { return c.Name + " " + forms[c.Form].suffix }

// codeNumber returns the activity code as statements have it: 119 for 0119.
func (c Company) codeNumber() int {
	number, err := strconv.Atoi(c.code())
	must(err) // the codes are built in
	return number
}

// form is a legal form in the registers' spelling.
type form struct {
	short  string // in the trade register's column and at the end of its names
	suffix string // at the end of the tax authority's names
	legal  string // the tax authority's legal form, empty for sole traders
	letter byte   // of the register number
}

var forms = map[string]form{
	"SRL": {"SRL", "S.R.L.", "SOCIETATE COMERCIALĂ CU RĂSPUNDERE LIMITATĂ", 'J'},
	"SA":  {"SA", "S.A.", "SOCIETATE COMERCIALĂ PE ACȚIUNI", 'J'},
	"SNC": {"SNC", "S.N.C.", "SOCIETATE COMERCIALĂ ÎN NUME COLECTIV", 'J'},
	"SC":  {"SC", "SOCIETATE COOPERATIVĂ", "SOCIETATE COOPERATIVĂ", 'C'},
	"PFA": {"PERSOANĂ FIZICĂ AUTORIZATĂ", "PERSOANĂ FIZICĂ AUTORIZATĂ", "", 'F'},
	"II":  {"ÎNTREPRINDERE INDIVIDUALĂ", "ÎNTREPRINDERE INDIVIDUALĂ", "", 'F'},
}
