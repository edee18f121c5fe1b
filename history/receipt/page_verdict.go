package receipt

import (
	"encoding/json"
	"fmt"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/api/verdict"
	"github.com/rodata/rodata/internal/pdf"
	"github.com/rodata/rodata/ro"
)

// certifiedVerdict is the part of a verdict that a receipt shows.
type certifiedVerdict struct {
	Outcome          company.VerdictOutcome `json:"outcome"`
	RulesVersion     string                 `json:"rulesVersion"`
	Rules            []verdict.Finding      `json:"rules"`
	IsChanged        bool                   `json:"changedRetroactively"`
	ParametersSHA256 *string                `json:"parametersSha256"`
	Sources          []company.Source       `json:"sources"`
}

// verdictOf parses a certified verdict. It returns nil for another answer about a company. Unknown members come from
// later versions.
func verdictOf(text proof.Certified) (*certifiedVerdict, error) {
	v := new(certifiedVerdict)
	if err := json.Unmarshal(text, v); err != nil {
		return nil, fmt.Errorf("reading the verdict that a receipt certifies: %w", err)
	}
	if v.RulesVersion == "" {
		return nil, nil
	}
	return v, nil
}

var outcomeWords = map[company.VerdictOutcome]string{
	company.OutcomeStop:       "de lămurit înainte de plată sau de deducere (clear it up before paying or deducting)",
	company.OutcomeIncomplete: "incomplet: o regulă hotărâtoare nu s-a putut verifica (incomplete: a decisive rule is unknown)",
	company.OutcomeAttention:  "necesită atenție: vedeți ce nu se confirmă (attention: see what does not hold)",
	company.OutcomeClear:      "nimic de lămurit în ce s-a putut verifica (nothing to clear up in what could be verified)",
}

// failureWords are the result of a rule that fails, by its level.
var failureWords = map[verdict.Level]string{
	verdict.Stop:      "NU se confirmă, de lămurit (does not hold, clear it up)",
	verdict.Attention: "NU se confirmă, atenție (does not hold, attention)",
	verdict.Info:      "nu se confirmă, informativ (does not hold, for information)",
}

var resultWords = map[verdict.Result]string{
	verdict.Pass: "se confirmă (holds)", verdict.Unknown: "nu se știe (unknown)",
	verdict.NotApplicable: "nu se aplică (not applicable)",
}

// verdict draws the rules with their results.
func (p *page) verdict(v *certifiedVerdict) {
	p.section(label("Rezultatul", "The result"))
	p.row(label("Verdictul, după regulile "+v.RulesVersion, "Verdict, by the rules of "+v.RulesVersion),
		outcomeWords[v.Outcome])
	if v.IsChanged {
		p.row(label("Modificat ulterior", "Changed retroactively"), "registrul arată acum altceva pentru această zi "+
			"(the register now says something else about the day)")
	}

	for _, found := range v.Rules {
		text := resultWords[found.Result]
		if found.Result == verdict.Fail {
			text = failureWords[found.Level]
		}
		if found.Explanation != nil {
			text += ": " + found.Explanation.Romanian + " (" + found.Explanation.English + ")"
		}
		if found.Result == verdict.Fail {
			text += days(&found.Facts)
		}

		p.row(pdf.Label{Native: found.Label.Romanian, English: found.Label.English}, text)
	}

	if v.ParametersSHA256 != nil {
		p.row(label("SHA-256 al datelor trimise", "SHA-256 of what was sent"), *v.ParametersSHA256)
	}
}

// days returns the days in the facts behind a result.
func days(facts *verdict.RuleFacts) (text string) {
	add := func(words string, d *ro.Date) {
		if d != nil {
			text += ", " + words + " " + day(*d)
		}
	}

	if facts.From != nil && facts.Value != nil && !*facts.Value { // a period that was over
		text = ", ultima perioadă (last period)"
	}

	add("din (from)", facts.From)
	if facts.To != nil {
		add("până în (to)", new(*facts.To-1))
	}

	add("operat la (entered on)", facts.EnteredOn)
	add("înregistrată la (registered on)", facts.RegisteredOn)
	add("radiată la (struck off on)", facts.StruckOffOn)
	return text
}
