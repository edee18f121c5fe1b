package client

// BalanceSheet holds the main figures of a yearly statement, in whole RON. A figure that the statement's form lacks, or
// that the company left empty, is nil. Form is the source of the statement, and AsOf its date: uu, bl and ir are files
// of the Ministry of Finance, bilant is the tax authority's service.
type BalanceSheet struct {
	Year            int     `json:"year"`
	Form            string  `json:"form"`
	AsOf            string  `json:"asOf"`
	Currency        string  `json:"currency"`
	CAENCode        *string `json:"caenCode"`
	Turnover        *int64  `json:"turnover"`
	TotalIncome     *int64  `json:"totalIncome"`
	TotalExpenses   *int64  `json:"totalExpenses"`
	GrossProfit     *int64  `json:"grossProfit"`
	GrossLoss       *int64  `json:"grossLoss"`
	NetProfit       *int64  `json:"netProfit"`
	NetLoss         *int64  `json:"netLoss"`
	NetResult       *int64  `json:"netResult"`
	FixedAssets     *int64  `json:"fixedAssets"`
	CurrentAssets   *int64  `json:"currentAssets"`
	Inventories     *int64  `json:"inventories"`
	Receivables     *int64  `json:"receivables"`
	Cash            *int64  `json:"cash"`
	PrepaidExpenses *int64  `json:"prepaidExpenses"`
	DeferredIncome  *int64  `json:"deferredIncome"`
	Provisions      *int64  `json:"provisions"`
	Debts           *int64  `json:"debts"`
	Equity          *int64  `json:"equity"`
	PaidUpCapital   *int64  `json:"paidUpCapital"`
	Employees       *int64  `json:"employees"`
	// Indicators are all figures as filed.
	Indicators []Indicator `json:"indicators"`
}

// Indicator is one figure of a statement, as filed.
type Indicator struct {
	Code  string `json:"code"`
	Label string `json:"label"`
	Value *int64 `json:"value"`
}

// Representatives are the persons who represent a company.
type Representatives struct {
	// Governance are appointed by the company, Procedural by a court or the creditors.
	Governance []Representative `json:"governance"`
	Procedural []Representative `json:"procedural"`
}

// Representative is a person or a company that represents a company.
type Representative struct {
	Name string `json:"name"`
	Role string `json:"role"`
}

// Registers holds a company's entries in the tax authority's smaller registers.
type Registers struct {
	Farmers    RegisterEntry `json:"farmers"`
	NonProfits RegisterEntry `json:"nonProfits"`
	EInvoice   EInvoiceEntry `json:"eInvoice"`
}

// RegisterEntry is a company's entry in a register. Registered is nil if the register could not be queried.
type RegisterEntry struct {
	Registered *bool `json:"registered"`
	From       *Date `json:"from"`
	To         *Date `json:"to"`
}

// EInvoiceEntry is a company's entry in the optional RO e-Factura register.
type EInvoiceEntry struct {
	RegisterEntry
	Entries []EInvoiceRegistration `json:"entries"`
}

// EInvoiceRegistration is one record of the RO e-Factura register, in its own wording.
type EInvoiceRegistration struct {
	Register     *string `json:"register"`
	Category     *string `json:"category"`
	State        *string `json:"state"`
	RegisteredOn *Date   `json:"registeredOn"`
	RenouncedOn  *Date   `json:"renouncedOn"`
	StruckOffOn  *Date   `json:"struckOffOn"`
	B2GOptionOn  *Date   `json:"b2gOptionOn"`
}

// Insolvency holds the trade register's data about insolvency, dissolution and liquidation.
type Insolvency struct {
	// State is a [State], none if the register lists no proceedings, or unknown.
	State string `json:"state"`
	// Proceedings is insolvency or winding_up; nil if there are none, or if unknown.
	Proceedings     *string          `json:"proceedings"`
	Label           Label            `json:"label"`
	Codes           []StateCode      `json:"codes"`
	Since           *Date            `json:"since"`
	Representatives []Representative `json:"representatives"`
	DataThrough     *Date            `json:"dataThrough"`
}

// Label is a text in Romanian and in English.
type Label struct {
	Romanian string `json:"ro"`
	English  string `json:"en"`
}

// StateCode is one of the trade register's codes of a company's state.
type StateCode struct {
	Code string `json:"code"`
	Name string `json:"name,omitempty"`
}
