package company

import (
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/ro"
)

// Company is the profile of a company. A value that no register provides is null, never false or empty.
type Company struct {
	TaxID              ro.CUI             `json:"taxId" doc:"The CUI (cod unic de înregistrare)."`
	Name               string             `json:"name" doc:"Registered name."`
	CompanyType        *string            `json:"companyType" doc:"Abbreviation of the legal form: SRL, SA, PFA, II, SNC, ..."`
	TradeNumber        *string            `json:"tradeNumber" doc:"Trade-register number as in the register: J12/345/2010 or J2010000345122."`
	TradeNumberNew     *string            `json:"tradeNumberNew" doc:"The same number in the format used since 26 July 2024: J2010000345122."`
	EUID               *string            `json:"euid" doc:"European unique identifier of the company."`
	County             *string            `json:"county" doc:"County of the address, in upper case: BACĂU."`
	City               *string            `json:"city" doc:"Place of the address: Bacău, Sector 3."`
	MainNACECode       *string            `json:"mainNaceCode" doc:"Main activity, a 4-digit CAEN code."`
	MainNACERevision   *int               `json:"mainNaceRevision" doc:"CAEN revision of mainNaceCode, 2 or 3; 3 also if the code means the same in both. Null if the code means different activities in the two and the trade register does not say which."`
	RegistrationDate   *ro.Date           `json:"registrationDate" doc:"Registration date; on a day before it, no status is false: it is null."`
	RegistrationStatus *string            `json:"registrationStatus" doc:"State in the tax authority's words, in Romanian."`
	StateRegistration  StateRegistration  `json:"stateRegistration" doc:"State of the company."`
	SeatExpired        *bool              `json:"seatExpired" doc:"The right to use the registered office has expired, according to the trade register (its code 2069, sediu expirat)."`
	Address            *string            `json:"address" doc:"Fiscal domicile on one line; the registered office of a company that only the trade register knows."`
	PostalCode         *string            `json:"postalCode" doc:"Postal code of the address: 6 digits, or as sent if it is abroad."`
	LegalForm          *string            `json:"legalForm" doc:"Legal form, in Romanian."`
	OwnershipForm      *string            `json:"ownershipForm" doc:"Form of ownership, in Romanian."`
	OrganizationForm   *string            `json:"organizationForm" doc:"Form of organisation, in Romanian."`
	FiscalAuthority    *string            `json:"fiscalAuthority" doc:"Competent tax office."`
	VATPayer           *bool              `json:"vatPayer" doc:"Registered for VAT: today, or on statusDate."`
	VATSince           *ro.Date           `json:"vatSince" doc:"First day of the VAT registration behind vatPayer; null when not registered."`
	VATOnCollection    *bool              `json:"vatOnCollection" doc:"Applies VAT on collection (TVA la încasare)."`
	VATSplit           *bool              `json:"vatSplit" doc:"Applies VAT split payment."`
	VATPeriods         []VATPeriod        `json:"vatPeriods" nullable:"true" doc:"All VAT registrations, oldest first; null if the tax authority could not be queried or does not provide them."`
	Inactive           *Inactive          `json:"inactive" brief:"status, since, reactivatedOn, ..." doc:"The fiscal inactivity register."`
	EInvoice           *EInvoice          `json:"eInvoice" brief:"registered, since." doc:"The RO e-Factura register."`
	Phone              *string            `json:"phone" doc:"Telephone."`
	Website            *string            `json:"website" doc:"Web site."`
	Seat               *StructuredAddress `json:"seat" doc:"Registered office, structured."`
	FiscalDomicile     *StructuredAddress `json:"fiscalDomicile" doc:"Fiscal domicile, structured."`
	StatusDate         *ro.Date           `json:"statusDate,omitempty" doc:"Date to which vatPayer, vatSince, vatOnCollection, vatSplit, inactive.status and eInvoice.registered apply; the rest is as of today. Only with date."`
	AsOfBasis          *AsOfBases         `json:"asOfBasis,omitempty" brief:"With date: where each status comes from." doc:"Source of each status on statusDate: register, the tax authority was queried for that day; observed, its record was retrieved on that very day; periods, computed from the periods in a later record, since the tax authority could not be queried. Only with date."`
	Sources            []Source           `json:"sources" brief:"For each register: name, retrievedAt, asOf, stale." doc:"One entry for each register that the answer uses."`

	BalanceSheets        []BalanceSheet        `json:"balanceSheets,omitzero" brief:"In RON, newest first: year, turnover, netResult, debts, equity, employees, ..." doc:"Annual balance sheets, newest first; with include=balanceSheets."`
	LegalRepresentatives *LegalRepresentatives `json:"legalRepresentatives,omitempty" doc:"Who acts for the company; with include=legalRepresentatives."`
	Registers            *Registers            `json:"registers,omitempty" doc:"The tax authority's registers of farmers, non-profits and RO e-Factura; with include=registers."`
	Insolvency           *Insolvency           `json:"insolvency,omitempty" doc:"Insolvency, reorganisation, bankruptcy, dissolution and liquidation according to the trade register today, regardless of date; with include=insolvency."`
	Verdict              *Verdict              `json:"verdict,omitempty" brief:"outcome, failed, unknown." doc:"The verdict of verify_supplier for the day, in short and without a receipt; with include=verdict."`

	// Record is the tax authority's record behind the profile. It is nil if only the trade register knows the company,
	// or if an older version of the program stored the profile.
	Record Record `json:"-"`
	// Unlisted reports that the tax authority has confirmed that it does not know the number.
	Unlisted bool `json:"-"`
	// TaxState is the state according to the tax authority alone, and TaxStateSince its first day, nil if that is
	// unknown. They are empty if it did not answer.
	TaxState      StateRegistration `json:"-"`
	TaxStateSince *ro.Date          `json:"-"`
	// Release is the day of the trade register's release, even if it does not list the company; 0 if none is loaded.
	Release ro.Date `json:"-"`
	// Filings is what is known about the last statement that was due; with include=balanceSheets. It is nil if the
	// trade register is not loaded.
	Filings *Filings `json:"-"`
}

// StruckOffOn returns the day on which the company was struck off, nil if it was not or the day is unknown, and whether
// a register says that it was struck off.
func (c *Company) StruckOffOn() (day *ro.Date, isStruckOff bool) {
	switch {
	case c.TaxState == StruckOff && c.TaxStateSince != nil:
		return c.TaxStateSince, true
	case c.Inactive != nil && c.Inactive.StruckOff != nil:
		return c.Inactive.StruckOff, true
	}

	return nil, c.StateRegistration == StruckOff || c.TaxState == StruckOff
}

// Record is a registry's record as sent.
type Record interface {
	// Raw returns the record byte for byte. The caller may change the bytes.
	Raw() ([]byte, error)
}

// Summary is the subset of the profile's fields in a search result.
func (c *Company) Summary() Summary {
	return Summary{
		TaxID: &c.TaxID, Name: c.Name, CompanyType: c.CompanyType, TradeNumber: c.TradeNumber, County: c.County,
		City: c.City, MainNACECode: c.MainNACECode, RegistrationDate: c.RegistrationDate,
		StateRegistration: c.StateRegistration, Address: c.Address, VATPayer: c.VATPayer, Phone: c.Phone,
		Website: c.Website, StatusDate: c.StatusDate,
	}
}

// LegalRepresentatives are the persons who represent a company: names and roles, and no other personal data.
type LegalRepresentatives struct {
	Governance []LegalRepresentative `json:"governance" doc:"Appointed by the company or under company law."`
	Procedural []LegalRepresentative `json:"procedural" doc:"Appointed by a court or the creditors: liquidators, insolvency administrators."`
}

// LegalRepresentative is a person or a company.
type LegalRepresentative struct {
	Name string `json:"name" doc:"Name."`
	Role string `json:"role" doc:"Role in the trade register's words, in Romanian."`
}

// VATPeriod is one VAT registration.
type VATPeriod struct {
	From       *ro.Date `json:"from" doc:"First day."`
	To         *ro.Date `json:"to" doc:"First day after the registration; null while it lasts."`
	CanceledOn *ro.Date `json:"canceledOn" doc:"Date on which the cancellation was entered, often weeks after it took effect."`
	Reason     *string  `json:"reason" doc:"Why it was cancelled, in Romanian."`
}

// AsOfBases has the source of each status on a day; null for an unknown status.
type AsOfBases struct {
	VATPayer        *AsOfBasis `json:"vatPayer" doc:"For vatPayer and vatSince."`
	VATOnCollection *AsOfBasis `json:"vatOnCollection" doc:"For vatOnCollection."`
	VATSplit        *AsOfBasis `json:"vatSplit" doc:"For vatSplit."`
	Inactive        *AsOfBasis `json:"inactive" doc:"For inactive.status."`
	EInvoice        *AsOfBasis `json:"eInvoice" doc:"For eInvoice.registered."`
}

// Inactive is a company's entry in the register of inactive taxpayers.
type Inactive struct {
	Status      bool     `json:"status" doc:"Inactive: today, or on statusDate."`
	Since       *ro.Date `json:"since" doc:"Day from which the company was declared inactive."`
	Reactivated *ro.Date `json:"reactivatedOn" doc:"Date of reactivation: the first day on which it is no longer inactive."`
	Published   *ro.Date `json:"publishedOn" doc:"Publication date."`
	StruckOff   *ro.Date `json:"struckOffOn" doc:"Day on which the company was struck off."`
}

// EInvoice is a company's entry in the RO e-Factura register.
type EInvoice struct {
	Registered bool     `json:"registered" doc:"Registered: today, or on statusDate."`
	Since      *ro.Date `json:"since" doc:"Registration date."`
}

// StructuredAddress is an address in parts.
type StructuredAddress struct {
	Street     *string `json:"street" doc:"Street with its type: Str. Exemplu."`
	Number     *string `json:"number" doc:"House number."`
	Details    *string `json:"details" doc:"Block, staircase, floor, apartment."`
	City       *string `json:"city" doc:"Place: Bacău, Sector 3."`
	County     *string `json:"county" doc:"County in upper case."`
	CountyCode *string `json:"countyCode" doc:"County's licence plate code: CJ."`
	SubEntity  *string `json:"countrySubentity" doc:"ISO 3166-2 county code, as required by e-Factura: RO-CJ."`
	EInvoice   *string `json:"eInvoiceCity" doc:"City as e-Factura requires: SECTOR1 to SECTOR6 in Bucharest, else the place."`
	SIRUTA     *int    `json:"sirutaCode" doc:"SIRUTA code of the place, if it could be resolved."`
	PostalCode *string `json:"postalCode" doc:"Postal code: 6 digits, or as sent if it is abroad."`
	Country    *string `json:"country" doc:"Country, if not Romania."`
}

// SchemaName is the type's name in the API description.
func (StructuredAddress) SchemaName() string { return "Address" }

// StateRegistration is the state of a company.
type StateRegistration string

// The states, ordered from the best to the worst.
const (
	InOperation      StateRegistration = "in_operation"
	Suspended        StateRegistration = "suspended"
	Dissolved        StateRegistration = "dissolved"
	InLiquidation    StateRegistration = "in_liquidation"
	InReorganization StateRegistration = "in_reorganization"
	Insolvent        StateRegistration = "insolvent"
	Bankrupt         StateRegistration = "bankrupt"
	StruckOff        StateRegistration = "struck_off"
	UnknownState     StateRegistration = "unknown"
)

// IsProblem reports whether a state is a bad sign in a supplier. An unknown one is not.
func (s StateRegistration) IsProblem() bool { return s != InOperation && s != UnknownState && s != "" }

// Schema lists the states.
func (StateRegistration) Schema() jsonschema.Schema {
	return jsonschema.Enum(InOperation, Suspended, Dissolved, InLiquidation, InReorganization, Insolvent, Bankrupt,
		StruckOff, UnknownState)
}
