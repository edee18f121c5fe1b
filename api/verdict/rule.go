package verdict

import (
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/ro"
)

// Level says what it means that a rule fails.
type Level string

// The levels.
const (
	// Stop: clear it up before paying or deducting.
	Stop Level = "stop"
	// Attention: look at it.
	Attention Level = "attention"
	// Info: it changes how the invoice is treated, and is no fault.
	Info Level = "info"
)

// Schema lists the levels.
func (Level) Schema() jsonschema.Schema { return jsonschema.Enum(Stop, Attention, Info) }

// Result is the result of a rule.
type Result string

// The results.
const (
	Pass          Result = "pass"
	Fail          Result = "fail"
	Unknown       Result = "unknown"
	NotApplicable Result = "not_applicable"
)

// Schema lists the results.
func (Result) Schema() jsonschema.Schema { return jsonschema.Enum(Pass, Fail, Unknown, NotApplicable) }

// RuleID is the id of a rule.
type RuleID string

// Schema lists the rules.
func (RuleID) Schema() jsonschema.Schema {
	ids := make([]RuleID, len(rules))
	for i := range rules {
		ids[i] = rules[i].ID
	}

	return jsonschema.Enum(ids...)
}

// Rule is a rule of the verdict.
type Rule struct {
	ID           RuleID        `json:"id" doc:"Id of the rule."`
	Level        Level         `json:"level" doc:"What a fail means: stop, clear it up before paying or deducting VAT; attention, look at it; info, it changes how the invoice is treated. That of vat_registered is stop with vatCharged=true, and attention after a cancellation."`
	Label        company.Label `json:"label" doc:"What holds if the rule passes."`
	Text         company.Label `json:"text" doc:"What the rule looks at."`
	Law          []string      `json:"law" doc:"Law behind the rule; empty if there is none."`
	FirstVersion string        `json:"firstVersion" doc:"First rulesVersion that has the rule."`

	check func(*Facts) finding
}

// SchemaName is the type's name in the API description.
func (Rule) SchemaName() string { return "VerdictRule" }

// finding is what a rule finds.
type finding struct {
	result Result
	reason Reason
	// level replaces the level of the rule; empty for that of the rule.
	level  Level
	source source
	facts  RuleFacts
}

// source is the register that a rule asks.
type source int

const (
	noSource source = iota // what the caller sent
	taxAuthority
	tradeRegister
	ministry // the yearly statements
)

// RuleFacts are the facts that a rule looks at. Facts that a rule does not look at are absent.
type RuleFacts struct {
	Value                *bool                     `json:"value,omitempty" doc:"The status on the day."`
	Basis                *company.AsOfBasis        `json:"basis,omitempty" doc:"How the status on the day is known: see get_company_status."`
	From                 *ro.Date                  `json:"from,omitempty" doc:"First day of the status."`
	To                   *ro.Date                  `json:"to,omitempty" doc:"First day on which it no longer held."`
	EnteredOn            *ro.Date                  `json:"enteredOn,omitempty" doc:"When the register recorded the end or the beginning."`
	Now                  *bool                     `json:"now,omitempty" doc:"What the register says today about the same day."`
	ChangedRetroactively *bool                     `json:"changedRetroactively,omitempty" doc:"Whether value and now differ."`
	State                company.StateRegistration `json:"state,omitempty" doc:"State of the company on the day."`
	StateNow             company.StateRegistration `json:"stateNow,omitempty" doc:"Its state today, if it is another one."`
	Codes                []string                  `json:"codes,omitempty" doc:"The trade register's codes behind it."`
	RegisteredOn         *ro.Date                  `json:"registeredOn,omitempty" doc:"When the company was registered."`
	StruckOffOn          *ro.Date                  `json:"struckOffOn,omitempty" doc:"When it was struck off."`
	Year                 int                       `json:"year,omitempty" doc:"Newest financial year whose statement was due before the day."`
	DueOn                *ro.Date                  `json:"dueOn,omitempty" doc:"When it was due."`
	FiveMonthsEndOn      *ro.Date                  `json:"fiveMonthsEndOn,omitempty" doc:"Last day of the five months after dueOn: see get_statement_state."`
	LastFiled            *int                      `json:"lastFiled,omitempty" doc:"Newest year up to this one with a known statement."`
	Ceiling              *ro.Decimal               `json:"ceiling,omitempty" doc:"Greatest cash payment to one firm on a day, in RON."`
	DayTotal             *ro.Decimal               `json:"dayTotal,omitempty" doc:"Greatest sum of all cash payments of a firm on a day, in RON; nobody else can check it."`
	RegisteredName       string                    `json:"registeredName,omitempty" doc:"Name in the register."`
	FormerName           string                    `json:"formerName,omitempty" doc:"Former name, which the company had on the day."`
	County               string                    `json:"county,omitempty" doc:"County of the registered office or the fiscal domicile."`
	City                 string                    `json:"city,omitempty" doc:"Its place."`
	Country              string                    `json:"country,omitempty" doc:"Country of the account."`
	BankCode             string                    `json:"bankCode,omitempty" doc:"The bank's code in the IBAN."`
	Treasury             *bool                     `json:"treasury,omitempty" doc:"Whether the account is with the State Treasury."`
}

// SchemaName is the type's name in the API description.
func (RuleFacts) SchemaName() string { return "VerdictFacts" }

// Finding is a rule with its result.
type Finding struct {
	ID          RuleID         `json:"id" doc:"Id of the rule: see GET /v1/verdict-rules."`
	Level       Level          `json:"level" doc:"What a fail means: stop, clear it up before paying or deducting VAT; attention, look at it; info, it changes how the invoice is treated."`
	Result      Result         `json:"result" doc:"unknown and not_applicable have a reason. Unknown never means pass."`
	Reason      *Reason        `json:"reason" doc:"Why; null if the rule passes."`
	Explanation *company.Label `json:"explanation" doc:"The reason in words; null without one."`
	Label       company.Label  `json:"label" doc:"What holds if the rule passes."`
	Facts       RuleFacts      `json:"facts" doc:"The facts behind the result."`
	Source      *string        `json:"source" doc:"The register behind the result: anaf, onrc or anaf-bilant (yearly statements); null if the rule looks only at what the caller sent."`
	AsOf        *ro.Date       `json:"asOf" doc:"Day of that register's data; null if it did not answer, or has no record of the company."`
	Law         []string       `json:"law" doc:"Law behind the rule."`
}

// SchemaName is the type's name in the API description.
func (Finding) SchemaName() string { return "VerdictFinding" }

// IsBad reports whether the finding needs somebody's attention: the rule fails, and is not only for information.
func (f *Finding) IsBad() bool { return f.Result == Fail && f.Level != Info }

// IsBadToday reports whether the rule is unknown for the day and would fail today.
func (f *Finding) IsBadToday() bool {
	return f.Reason != nil && strings.HasSuffix(string(*f.Reason), ofToday)
}

// Judge applies all rules, in their order, and returns the outcome.
func Judge(f *Facts) (company.VerdictOutcome, []Finding) {
	findings := make([]Finding, len(rules))
	has := map[Level]map[Result]bool{Stop: {}, Attention: {}, Info: {}}
	for i := range rules {
		findings[i] = rules[i].apply(f)
		has[findings[i].Level][findings[i].Result] = true
	}

	switch {
	case has[Stop][Fail]:
		return company.OutcomeStop, findings
	case has[Stop][Unknown]:
		return company.OutcomeIncomplete, findings
	case has[Attention][Fail]:
		return company.OutcomeAttention, findings
	}

	return company.OutcomeClear, findings
}

func (r *Rule) apply(f *Facts) Finding {
	found := r.check(f)
	finding := Finding{ID: r.ID, Level: r.Level, Result: found.result, Label: r.Label, Facts: found.facts, Law: r.Law}
	if found.level != "" {
		finding.Level = found.level
	}
	if found.reason != "" {
		finding.Reason, finding.Explanation = &found.reason, new(reasons[found.reason])
	}

	name, register := "", Register{}
	switch found.source {
	case taxAuthority:
		name, register = "anaf", f.Tax
	case tradeRegister:
		name, register = "onrc", f.Trade
	case ministry:
		name = "anaf-bilant"
		if f.Filings != nil && f.Filings.AsOf() != nil {
			register.AsOf = *f.Filings.AsOf()
		}
	default:
		return finding
	}

	finding.Source = &name
	if register.AsOf != 0 {
		finding.AsOf = &register.AsOf
	}

	return finding
}

// Each of these is the end of a check.

func pass(s source, facts RuleFacts) finding { return finding{result: Pass, source: s, facts: facts} }

func fail(s source, reason Reason, facts RuleFacts) finding {
	return finding{result: Fail, reason: reason, source: s, facts: facts}
}

func unknown(s source, reason Reason) finding {
	return finding{result: Unknown, reason: reason, source: s}
}

func notApplicable(s source, reason Reason) finding {
	return finding{result: NotApplicable, reason: reason, source: s}
}

// of decides by a comparison: pass if it holds.
func of(holds bool, s source, reason Reason, facts RuleFacts) finding {
	if holds {
		return pass(s, facts)
	}
	return fail(s, reason, facts)
}
