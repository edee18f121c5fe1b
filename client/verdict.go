package client

import "context"

// Outcome is the outcome of a verdict.
type Outcome string

// The outcomes of a verdict.
const (
	// OutcomeStop means that a rule of the level stop fails.
	OutcomeStop Outcome = "stop"
	// OutcomeIncomplete means that a rule of the level stop is unknown.
	OutcomeIncomplete Outcome = "incomplete"
	// OutcomeAttention means that a rule of the level attention fails.
	OutcomeAttention Outcome = "attention"
	OutcomeClear     Outcome = "clear"
)

// Verdict is the verdict on a supplier for a day.
type Verdict struct {
	TaxID int64 `json:"taxId"`
	// Name is nil if no register has the company.
	Name                 *string       `json:"name"`
	Date                 Date          `json:"date"`
	KnownAt              Date          `json:"knownAt"`
	Outcome              Outcome       `json:"outcome"`
	ChangedRetroactively bool          `json:"changedRetroactively"`
	RulesVersion         string        `json:"rulesVersion"`
	Rules                []VerdictRule `json:"rules"`
	// ParametersSHA256 is the hash of ParametersSalt and the parameters; nil if none was sent. Keep the salt with the
	// receipt, which lacks it.
	ParametersSHA256 *string  `json:"parametersSha256"`
	ParametersSalt   *string  `json:"parametersSalt"`
	Sources          []Source `json:"sources"`
	// Receipt is the id of the signed receipt for this verdict; nil if there is no receipt.
	Receipt *string `json:"receipt"`
}

// VerdictSummary is a verdict in short.
type VerdictSummary struct {
	Outcome Outcome `json:"outcome"`
	// Failed are the ids of the rules of the level stop or attention that fail, and Unknown those of the level stop
	// that are unknown.
	Failed  []string `json:"failed"`
	Unknown []string `json:"unknown"`
	// Reasons say why these rules fail or are unknown, each reason once.
	Reasons []string `json:"reasons"`
}

// VerdictRule is a rule with its result.
type VerdictRule struct {
	ID string `json:"id"`
	// Level is what a fail means: stop, attention or info.
	Level string `json:"level"`
	// Result is pass, fail, unknown or not_applicable. Unknown never means pass.
	Result string `json:"result"`
	// Reason is why the rule does not pass, and Explanation the same in words; nil if it passes.
	Reason      *string `json:"reason"`
	Explanation *Label  `json:"explanation"`
	Label       Label   `json:"label"`
	// Facts are the facts behind the result; those that the rule does not look at are nil or empty.
	Facts VerdictFacts `json:"facts"`
	// Source is the register behind the result: anaf, onrc or anaf-bilant. AsOf is the day of its data. Both are nil if
	// the rule depends only on the parameters.
	Source *string  `json:"source"`
	AsOf   *Date    `json:"asOf"`
	Law    []string `json:"law"`
}

// VerdictFacts are the facts behind the result of a rule.
type VerdictFacts struct {
	// Value is the status on the day, Basis how it is known, and From, To and EnteredOn the period: see DayStatus.
	Value     *bool   `json:"value,omitempty"`
	Basis     *string `json:"basis,omitempty"`
	From      *Date   `json:"from,omitempty"`
	To        *Date   `json:"to,omitempty"`
	EnteredOn *Date   `json:"enteredOn,omitempty"`
	// Now is what the register says today about the same day, and ChangedRetroactively whether that differs.
	Now                  *bool `json:"now,omitempty"`
	ChangedRetroactively *bool `json:"changedRetroactively,omitempty"`
	// State is the state of the company on the day, StateNow its state today, and Codes the register's codes.
	State        string   `json:"state,omitempty"`
	StateNow     string   `json:"stateNow,omitempty"`
	Codes        []string `json:"codes,omitempty"`
	RegisteredOn *Date    `json:"registeredOn,omitempty"`
	StruckOffOn  *Date    `json:"struckOffOn,omitempty"`
	// Year is the newest financial year whose statement was due on DueOn: see StatementState.
	Year            int   `json:"year,omitempty"`
	DueOn           *Date `json:"dueOn,omitempty"`
	FiveMonthsEndOn *Date `json:"fiveMonthsEndOn,omitempty"`
	LastFiled       *int  `json:"lastFiled,omitempty"`
	// Ceiling is the greatest cash payment to one firm on a day, and DayTotal that to all, in RON.
	Ceiling        *Decimal `json:"ceiling,omitempty"`
	DayTotal       *Decimal `json:"dayTotal,omitempty"`
	RegisteredName string   `json:"registeredName,omitempty"`
	FormerName     string   `json:"formerName,omitempty"`
	County         string   `json:"county,omitempty"`
	City           string   `json:"city,omitempty"`
	// Country, BankCode and Treasury are read from the IBAN.
	Country  string `json:"country,omitempty"`
	BankCode string `json:"bankCode,omitempty"`
	Treasury *bool  `json:"treasury,omitempty"`
}

// VerdictQuery is what the verdict is about, besides the company. All fields are optional.
type VerdictQuery struct {
	// Date is the day; the zero day is today. KnownAt limits the verdict to what could be known; the zero day is Date.
	Date, KnownAt Date
	// Amount is the amount paid in RON, and Payment bank or cash.
	Amount, Payment string
	// VATCharged says whether the invoice charges VAT; nil leaves it open.
	VATCharged *bool
	// Name, Address and IBAN are those on the invoice.
	Name, Address, IBAN string
}

// VerifySupplier returns the verdict on a supplier.
func (c *Client) VerifySupplier(ctx context.Context, taxID string, q VerdictQuery) (*Verdict, error) {
	return get[Verdict](ctx, c, "/v1/companies/"+pathID(taxID)+"/verdict", params{
		"date": q.Date, "knownAt": q.KnownAt, "amount": q.Amount, "payment": q.Payment, "vatCharged": q.VATCharged,
		"name": q.Name, "address": q.Address, "iban": q.IBAN,
	})
}
