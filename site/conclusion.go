package site

import (
	"strings"

	"github.com/rodata/rodata/api/company"
	rules "github.com/rodata/rodata/api/verdict"
)

// conclusion is the verdict on a company on a day, for people.
type conclusion struct {
	Kind     kind
	Outcome  string     // what to do
	Sentence string     // what held on the day, as it was known
	Rules    []ruleLine // with reasons and law, without those that do not apply
	Changed  string     // says that the register says something else now; empty if it does not
	Receipt  string     // the id of the verdict's receipt; empty if it has none
}

// outcomeKinds are the kinds of notices by outcome. Clear is not good news: it covers only what could be verified.
var outcomeKinds = map[company.VerdictOutcome]kind{
	company.OutcomeStop: bad, company.OutcomeIncomplete: unknown, company.OutcomeAttention: bad,
	company.OutcomeClear: neutral,
}

// conclude puts a verdict into words. The page adds no judgement to that of the rules.
func (w words) conclude(v *rules.Verdict) *conclusion {
	c := &conclusion{Kind: outcomeKinds[v.Outcome], Outcome: w.say("outcome." + string(v.Outcome)),
		Receipt: string(deref(v.Receipt))}
	var clauses []string
	var applicable []rules.Finding
	for _, found := range v.Rules {
		if found.IsBadToday() && c.Kind == neutral {
			c.Kind = warning
		}
		if found.Result != rules.NotApplicable {
			applicable = append(applicable, found)
			clauses = append(clauses, withoutEmpty(w.clause(&found))...)
		}
	}

	days := []any{"name", deref(v.Name), "date", w.dayOf(&v.Date), "knownAt", w.dayOf(&v.KnownAt)}
	c.Sentence = w.say("conclusion.known", days...)
	if v.KnownAt == v.Date {
		c.Sentence = w.say("conclusion.then", days...)
	}

	if v.ChangedRetroactively {
		c.Changed = w.say("onday.changed", days...)
	}

	c.Sentence += " " + strings.Join(clauses, "; ") + "."
	c.Rules = w.ruleLines(applicable)
	return c
}

// clause says what a rule found. It is empty for rules that pass or are unknown and that do not concern the deduction
// of VAT and expenses.
func (w words) clause(found *rules.Finding) string {
	concerns := map[rules.RuleID]bool{"not_inactive": true, "vat_registered": true, "vat_deductible_at_once": true}
	switch {
	case found.IsBadToday(), found.Result == rules.Fail && (found.IsBad() || concerns[found.ID]):
		return w.label(*found.Explanation)
	case !concerns[found.ID] && (found.Level != rules.Stop || found.Result == rules.Pass):
		return ""
	case found.Result == rules.Unknown:
		return w.say("conclusion.unknown", "rule", lowerFirst(w.label(found.Label)))
	}

	return lowerFirst(w.label(found.Label))
}
