package client

import (
	"context"
	"net/url"
	"strings"
	"time"
)

// Company is the profile of a company, from the tax authority and the trade register. A value that neither of them
// provides is nil.
type Company struct {
	// TaxID is the CUI, without the prefix RO.
	TaxID              int64   `json:"taxId"`
	Name               string  `json:"name"`
	CompanyType        *string `json:"companyType"`
	TradeNumber        *string `json:"tradeNumber"`
	TradeNumberNew     *string `json:"tradeNumberNew"`
	EUID               *string `json:"euid"`
	County             *string `json:"county"`
	City               *string `json:"city"`
	MainNACECode       *string `json:"mainNaceCode"`
	MainNACERevision   *int    `json:"mainNaceRevision"`
	RegistrationDate   *Date   `json:"registrationDate"`
	RegistrationStatus *string `json:"registrationStatus"`
	StateRegistration  State   `json:"stateRegistration"`
	// SeatExpired reports whether the right to use the registered office has expired.
	SeatExpired      *bool   `json:"seatExpired"`
	Address          *string `json:"address"`
	PostalCode       *string `json:"postalCode"`
	LegalForm        *string `json:"legalForm"`
	OwnershipForm    *string `json:"ownershipForm"`
	OrganizationForm *string `json:"organizationForm"`
	FiscalAuthority  *string `json:"fiscalAuthority"`
	// VATPayer is the status today or, with a date, on StatusDate; so are the following statuses.
	VATPayer        *bool     `json:"vatPayer"`
	VATSince        *Date     `json:"vatSince"`
	VATOnCollection *bool     `json:"vatOnCollection"`
	VATSplit        *bool     `json:"vatSplit"`
	VATPeriods      []Period  `json:"vatPeriods"`
	Inactive        *Inactive `json:"inactive"`
	EInvoice        *EInvoice `json:"eInvoice"`
	Phone           *string   `json:"phone"`
	Website         *string   `json:"website"`
	Seat            *Address  `json:"seat"`
	FiscalDomicile  *Address  `json:"fiscalDomicile"`
	// StatusDate and AsOfBasis are set with a date.
	StatusDate *Date      `json:"statusDate,omitempty"`
	AsOfBasis  *AsOfBasis `json:"asOfBasis,omitempty"`
	// Sources lists each register behind the profile.
	Sources []Source `json:"sources"`

	// The following fields are set if requested with [CompanyOptions.Include].
	BalanceSheets        []BalanceSheet   `json:"balanceSheets,omitzero"`
	LegalRepresentatives *Representatives `json:"legalRepresentatives,omitempty"`
	Registers            *Registers       `json:"registers,omitempty"`
	Insolvency           *Insolvency      `json:"insolvency,omitempty"`
	Verdict              *VerdictSummary  `json:"verdict,omitempty"`
}

// State is the state of a company.
type State string

// The states of a company.
const (
	InOperation      State = "in_operation"
	Suspended        State = "suspended"
	Dissolved        State = "dissolved"
	InLiquidation    State = "in_liquidation"
	InReorganization State = "in_reorganization"
	Insolvent        State = "insolvent"
	Bankrupt         State = "bankrupt"
	StruckOff        State = "struck_off"
	UnknownState     State = "unknown"
)

// Period is one registration for VAT. To is the first day on which it no longer holds, nil while it lasts.
type Period struct {
	From       *Date   `json:"from"`
	To         *Date   `json:"to"`
	CanceledOn *Date   `json:"canceledOn"`
	Reason     *string `json:"reason"`
}

// Inactive is a company's entry in the register of inactive taxpayers.
type Inactive struct {
	Status        bool  `json:"status"`
	Since         *Date `json:"since"`
	ReactivatedOn *Date `json:"reactivatedOn"`
	PublishedOn   *Date `json:"publishedOn"`
	StruckOffOn   *Date `json:"struckOffOn"`
}

// EInvoice is a company's entry in the RO e-Factura register.
type EInvoice struct {
	Registered bool  `json:"registered"`
	Since      *Date `json:"since"`
}

// Address is an address in parts.
type Address struct {
	Street           *string `json:"street"`
	Number           *string `json:"number"`
	Details          *string `json:"details"`
	City             *string `json:"city"`
	County           *string `json:"county"`
	CountyCode       *string `json:"countyCode"`
	CountrySubentity *string `json:"countrySubentity"`
	EInvoiceCity     *string `json:"eInvoiceCity"`
	SIRUTACode       *int    `json:"sirutaCode"`
	PostalCode       *string `json:"postalCode"`
	Country          *string `json:"country"`
}

// AsOfBasis names the source of each status on a day: register, observed or periods; nil for an unknown status.
type AsOfBasis struct {
	VATPayer        *string `json:"vatPayer"`
	VATOnCollection *string `json:"vatOnCollection"`
	VATSplit        *string `json:"vatSplit"`
	Inactive        *string `json:"inactive"`
	EInvoice        *string `json:"eInvoice"`
}

// Source describes where a part of an answer comes from, and its age.
type Source struct {
	// Name is the registry: anaf, onrc, vies and others.
	Name string `json:"name"`
	// RetrievedAt is the time of the registry's answer, and AsOf its day; nil if the registry could not be queried.
	RetrievedAt *time.Time `json:"retrievedAt"`
	AsOf        *Date      `json:"asOf"`
	// Cache is HIT or MISS.
	Cache string `json:"cache"`
	// Stale reports an expired copy, served because the registry does not respond.
	Stale        bool  `json:"stale"`
	MissingYears []int `json:"missingYears,omitempty"`
}

// Part is a part of a company that is included only on request.
type Part string

// The parts of a company.
const (
	WithBalanceSheets        Part = "balanceSheets"
	WithLegalRepresentatives Part = "legalRepresentatives"
	WithRegisters            Part = "registers"
	WithInsolvency           Part = "insolvency"
	WithVerdict              Part = "verdict"
)

// CompanyOptions select the parts of a profile; the zero value is today's profile.
type CompanyOptions struct {
	// Date is the day of the requested statuses; zero for today.
	Date Date
	// Include lists the parts to embed.
	Include []Part
}

// Company returns the profile of a company. The tax id may have the prefix RO and spaces. An unknown number is a
// *Problem with CodeNotFound.
func (c *Client) Company(ctx context.Context, taxID string, o CompanyOptions) (*Company, error) {
	return get[Company](ctx, c, "/v1/companies/"+pathID(taxID), params{"date": o.Date, "include": list(o.Include)})
}

// pathID returns a tax id as a path segment.
func pathID(taxID string) string {
	bare := strings.ToUpper(strings.Join(strings.Fields(taxID), ""))
	return url.PathEscape(strings.TrimPrefix(bare, "RO"))
}
