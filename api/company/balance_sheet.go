package company

import (
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/ro"
)

// BalanceSheet has the main figures of the financial statement that a company filed for a year. Amounts are in whole
// RON. A figure is null if the statement's form does not have it, or if the company left it empty: insurers, banks and
// associations file different forms than other companies. Indicators are the figures as filed.
type BalanceSheet struct {
	Year            int         `json:"year" doc:"The financial year."`
	Form            SheetForm   `json:"form" doc:"Source of the statement: the Ministry of Finance's files of small companies (uu), of the others (bl) or of companies that apply the IFRS (ir), or the tax authority's service (bilant)."`
	AsOf            ro.Date     `json:"asOf" doc:"Date of the source: the last change of the ministry's file, or the tax authority's answer."`
	Currency        string      `json:"currency" doc:"Currency of the amounts: always RON."`
	CAENCode        *string     `json:"caenCode" doc:"Main activity in the statement, a 4-digit CAEN code of the revision then in force."`
	Turnover        *int64      `json:"turnover" doc:"Net turnover (cifra de afaceri netă)."`
	TotalIncome     *int64      `json:"totalIncome" doc:"Total income (venituri totale)."`
	TotalExpenses   *int64      `json:"totalExpenses" doc:"Total expenses (cheltuieli totale)."`
	GrossProfit     *int64      `json:"grossProfit" doc:"Profit before tax; 0 in a loss year."`
	GrossLoss       *int64      `json:"grossLoss" doc:"Loss before tax, not negative; 0 in a profit year."`
	NetProfit       *int64      `json:"netProfit" doc:"Profit after tax, or an association's surplus; 0 in a loss year."`
	NetLoss         *int64      `json:"netLoss" doc:"Loss after tax, or an association's deficit, not negative; 0 in a profit year."`
	NetResult       *int64      `json:"netResult" doc:"netProfit minus netLoss, negative in a loss year. If only one of them is stated, the other counts as 0; null if neither is."`
	FixedAssets     *int64      `json:"fixedAssets" doc:"Fixed assets (active imobilizate)."`
	CurrentAssets   *int64      `json:"currentAssets" doc:"Current assets (active circulante): inventories, receivables, cash and short-term investments."`
	Inventories     *int64      `json:"inventories" doc:"Inventories (stocuri)."`
	Receivables     *int64      `json:"receivables" doc:"Receivables (creanțe)."`
	Cash            *int64      `json:"cash" doc:"Cash in hand and at banks."`
	PrepaidExpenses *int64      `json:"prepaidExpenses" doc:"Prepaid expenses (cheltuieli în avans)."`
	DeferredIncome  *int64      `json:"deferredIncome" doc:"Deferred income (venituri în avans)."`
	Provisions      *int64      `json:"provisions" doc:"Provisions (provizioane)."`
	Debts           *int64      `json:"debts" doc:"Debts of any term (datorii)."`
	Equity          *int64      `json:"equity" doc:"Total capital and reserves (capitaluri); may be negative."`
	PaidUpCapital   *int64      `json:"paidUpCapital" doc:"Subscribed and paid-up capital."`
	Employees       *int64      `json:"employees" doc:"Average number of employees in the year."`
	Indicators      []Indicator `json:"indicators" doc:"All figures in the statement, ascending by code."`
}

// NetResult returns the net profit less the net loss of a statement. If only one of them is stated, the other counts as
// 0. It returns nil if neither is.
func NetResult(profit, loss *int64) *int64 {
	switch {
	case profit == nil && loss == nil:
		return nil
	case profit == nil:
		return new(-*loss)
	case loss == nil:
		return new(*profit)
	}

	return new(*profit - *loss)
}

// SheetForm names the source of a statement.
type SheetForm string

// The sources: the Ministry of Finance's files of a year, by group of companies, and the tax authority's service.
const (
	SmallForm  SheetForm = "uu"
	LargeForm  SheetForm = "bl"
	IFRSForm   SheetForm = "ir"
	BilantForm SheetForm = "bilant"
)

// Schema lists the values.
func (SheetForm) Schema() jsonschema.Schema {
	return jsonschema.Enum(SmallForm, LargeForm, IFRSForm, BilantForm)
}

// Indicator is one figure of a statement, as filed.
type Indicator struct {
	Code  string `json:"code" doc:"Field in the form: I1, I2, ... A code means different figures in different forms."`
	Label string `json:"label" doc:"Name of the figure, in Romanian."`
	Value *int64 `json:"value" doc:"Whole RON, or persons; null if the field was left empty."`
}
