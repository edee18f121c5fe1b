package receipt

import (
	"encoding/json"
	"fmt"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/api/verdict"
	"github.com/rodata/rodata/internal/pdf"
)

// certifiedVerdict is the part of a verdict that a receipt shows.
type certifiedVerdict struct {
	Outcome          verdict.Outcome   `json:"outcome"`
	RulesVersion     string            `json:"rulesVersion"`
	Rules            []verdict.Finding `json:"rules"`
	ParametersSHA256 *string           `json:"parametersSha256"`
	Sources          []company.Source  `json:"sources"`
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

var outcomeWords = map[verdict.Outcome]string{
	verdict.OutcomeStop:       "de lămurit înainte de plată (clear up before paying)",
	verdict.OutcomeIncomplete: "incomplet (incomplete)",
	verdict.OutcomeAttention:  "de verificat (attention)",
	verdict.OutcomeClear:      "nicio regulă stop sau attention neîndeplinită (no such rule fails)",
}

var resultWords = map[verdict.Result]string{
	verdict.Pass: "se confirmă (holds)", verdict.Fail: "NU se confirmă (does not hold)",
	verdict.Unknown: "nu se știe (unknown)", verdict.NotApplicable: "nu se aplică (not applicable)",
}

// verdict draws the rules with their results.
func (p *page) verdict(v *certifiedVerdict) {
	p.section(label("Rezultatul", "The result"))
	p.row(label("Verdictul, după regulile "+v.RulesVersion, "Verdict, by the rules of "+v.RulesVersion),
		outcomeWords[v.Outcome])
	for _, found := range v.Rules {
		text := resultWords[found.Result]
		if found.Result == verdict.Fail {
			text += ", nivel (level) " + string(found.Level)
		}
		if found.Explanation != nil {
			text += ": " + found.Explanation.Romanian + " (" + found.Explanation.English + ")"
		}

		p.row(pdf.Label{Native: found.Label.Romanian, English: found.Label.English}, text)
	}

	if v.ParametersSHA256 != nil {
		p.row(label("SHA-256 al datelor trimise", "SHA-256 of what was sent"), *v.ParametersSHA256)
	}
}
