package verdict

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
)

// Rules is the list of the rules.
type Rules struct {
	Version string `json:"rulesVersion" doc:"Version of the rules. It changes with the id, level, law or meaning of any rule."`
	Items   []Rule `json:"items" doc:"All rules, in the order in which verdicts list them."`
}

// SchemaName is the type's name in the API description.
func (Rules) SchemaName() string { return "VerdictRules" }

// ListRules returns the operation list_verdict_rules.
func ListRules() *op.Operation {
	return op.Define(op.Spec{
		Name: "list_verdict_rules", Method: "GET", Path: "/v1/verdict-rules", Tag: tag.Companies,
		Title: "List the rules of the verdict",
		Description: "The rules by which verify_supplier judges, with their level, law and text in Romanian and " +
			"English. Free, no key needed.",
	}, func(context.Context, account.Caller, struct{}) (op.Answer[Rules], error) {
		return op.Answer[Rules]{Value: Rules{RulesVersion, rules}, Freshness: op.BuiltIn}, nil
	})
}
