package company

import (
	"context"
	"slices"

	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/ro"
)

// Verdict is the verdict on a company in short.
type Verdict struct {
	Outcome VerdictOutcome `json:"outcome" doc:"stop: a stop rule fails. incomplete: else, a stop rule is unknown. attention: else, an attention rule fails. clear: else."`
	Failed  []string       `json:"failed" doc:"Ids of the rules of the level stop or attention that fail: see GET /v1/verdict-rules."`
	Unknown []string       `json:"unknown" doc:"Ids of the rules of the level stop that are unknown."`
	Reasons []string       `json:"reasons" doc:"The reasons of these rules, and of rules that are unknown for the day and would fail today, each once: see verify_supplier."`
}

// SchemaName is the type's name in the API description.
func (Verdict) SchemaName() string { return "VerdictSummary" }

// VerdictOutcome is the outcome of all rules of a verdict together.
type VerdictOutcome string

// SchemaName is the type's name in the API description.
func (VerdictOutcome) SchemaName() string { return "Outcome" }

// The outcomes, in the order in which they are determined.
const (
	// OutcomeStop: a stop rule fails.
	OutcomeStop VerdictOutcome = "stop"
	// OutcomeIncomplete: a stop rule is unknown.
	OutcomeIncomplete VerdictOutcome = "incomplete"
	// OutcomeAttention: an attention rule fails.
	OutcomeAttention VerdictOutcome = "attention"
	OutcomeClear     VerdictOutcome = "clear"
)

// Schema lists the outcomes.
func (VerdictOutcome) Schema() jsonschema.Schema {
	return jsonschema.Enum(OutcomeStop, OutcomeIncomplete, OutcomeAttention, OutcomeClear)
}

// Judge returns the verdict on a company for a day, from the profile that Companies returned for that day. The zero day
// is today. As in verify_supplier, only what could be known on the day counts. It queries no register.
type Judge func(ctx context.Context, found Found, asked ro.CompanyDay) (*Verdict, error)

// WithVerdict returns the fields of the view of verdicts: the given ones, by default the number and the name, and those
// of the verdict.
func WithVerdict(fields []Field) []Field {
	if len(fields) == 0 {
		fields = []Field{"taxId", "name"}
	}
	return append(slices.Clip(fields), "verdict.outcome", "verdict.failed", "verdict.unknown", "verdict.reasons")
}
