package api

// BalanceSheet has the main figures of the financial statement that a company filed for a year. Amounts are in whole
// RON. A figure is null if the statement's form does not have it: insurers, banks and associations file different
// forms than other companies. Indicators are the figures as filed.
type BalanceSheet struct {
	Year            int         `json:"year" doc:"The financial year."`
	Currency        string      `json:"currency" doc:"Currency of the amounts: always RON."`
	CAENCode        *string     `json:"caenCode" doc:"Main activity that the statement gives, a 4-digit CAEN code of the revision in force then."`
	Turnover        *int64      `json:"turnover" doc:"Net turnover (cifra de afaceri netă)."`
	TotalIncome     *int64      `json:"totalIncome" doc:"Total income (venituri totale)."`
	TotalExpenses   *int64      `json:"totalExpenses" doc:"Total expenses (cheltuieli totale)."`
	GrossProfit     *int64      `json:"grossProfit" doc:"Profit before tax; 0 in a year of loss."`
	GrossLoss       *int64      `json:"grossLoss" doc:"Loss before tax, not negative; 0 in a year of profit."`
	NetProfit       *int64      `json:"netProfit" doc:"Profit after tax, of an association its surplus; 0 in a year of loss."`
	NetLoss         *int64      `json:"netLoss" doc:"Loss after tax, of an association its deficit, not negative; 0 in a year of profit."`
	NetResult       *int64      `json:"netResult" doc:"netProfit less netLoss, negative in a year of loss; null unless both are given."`
	FixedAssets     *int64      `json:"fixedAssets" doc:"Fixed assets (active imobilizate)."`
	CurrentAssets   *int64      `json:"currentAssets" doc:"Current assets (active circulante): inventories, receivables, cash and short-term investments."`
	Inventories     *int64      `json:"inventories" doc:"Inventories (stocuri)."`
	Receivables     *int64      `json:"receivables" doc:"Receivables (creanțe)."`
	Cash            *int64      `json:"cash" doc:"Cash in hand and at banks."`
	PrepaidExpenses *int64      `json:"prepaidExpenses" doc:"Expenses paid in advance (cheltuieli în avans)."`
	DeferredIncome  *int64      `json:"deferredIncome" doc:"Income received in advance (venituri în avans)."`
	Provisions      *int64      `json:"provisions" doc:"Provisions (provizioane)."`
	Debts           *int64      `json:"debts" doc:"Debts of any term (datorii)."`
	Equity          *int64      `json:"equity" doc:"Total capital and reserves (capitaluri); may be negative."`
	PaidUpCapital   *int64      `json:"paidUpCapital" doc:"Subscribed and paid-up capital."`
	Employees       *int64      `json:"employees" doc:"Average number of employees in the year."`
	Indicators      []Indicator `json:"indicators" doc:"All figures of the statement, by ascending code."`
}

// Indicator is one figure of a statement, as filed.
type Indicator struct {
	Code  string `json:"code" doc:"Place in the form: I1, I2, ... The same code means another figure in another form."`
	Label string `json:"label" doc:"What the figure is, in Romanian."`
	Value *int64 `json:"value" doc:"Whole RON, or persons; null when the field was left empty."`
}
