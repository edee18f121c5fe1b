package customer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

type createCheckoutInput struct {
	Plan PlanCode `arg:"plan" required:"true" doc:"Code of a plan that GET /v1/plans lists with purchasable true." example:"starter"`
}

// CreateCheckout returns the operation create_checkout.
func CreateCheckout(billing Billing, plans []metering.Plan) *op.Operation {
	return op.Define(op.Spec{
		Name: "create_checkout", Method: "POST", Path: "/v1/billing/checkout", Tag: tag.Billing, Account: true,
		Title: "Buy a plan",
		Description: "Returns the URL of a page where the caller's account subscribes to a monthly plan and pays. " +
			"The account has the plan as soon as it is paid. An account with a subscription is sent to the page for " +
			"changing it and never gets a second one. A plan that is unknown or cannot be bought returns 400.",
	}, func(ctx context.Context, caller account.Caller, in createCheckoutInput) (op.Answer[PaymentPage], error) {
		if !slices.ContainsFunc(plans, func(p metering.Plan) bool { return p.Code == string(in.Plan) }) {
			return op.Answer[PaymentPage]{}, notForSale(plans, in.Plan)
		}

		url, err := billing.Checkout(ctx, caller.Account(), string(in.Plan))
		if errors.Is(err, ErrNotSold) {
			return op.Answer[PaymentPage]{}, notForSale(plans, in.Plan)
		}
		if err != nil {
			return op.Answer[PaymentPage]{}, billingProblem(err)
		}

		return op.Answer[PaymentPage]{Value: PaymentPage{url}}, nil
	})
}

// notForSale is the problem of a plan that is not for sale; it lists the plans for sale.
func notForSale(plans []metering.Plan, wanted PlanCode) error {
	var codes []string
	for i := range plans {
		if plans[i].Purchasable {
			codes = append(codes, plans[i].Code)
		}
	}

	purchasable := strings.Join(codes, ", ")
	e := &problem.InputError{Parameter: "plan", Code: problem.NotOneOf, Received: problem.Excerpt(string(wanted)),
		Accepted: "one of " + purchasable, Suggestion: spelling.Nearest(string(wanted), codes),
		Reason: fmt.Sprintf("%s cannot be bought; these can: %s", problem.Quoted(string(wanted)), purchasable)}
	if len(codes) == 0 {
		e.Accepted, e.Reason = "no plan, since none can be bought here",
			problem.Quoted(string(wanted))+" cannot be bought, and no other plan here can"
	}

	return problem.Invalid(e)
}

// PlanCode names a plan.
type PlanCode string

// UnmarshalText accepts any text of at most 50 characters.
func (c *PlanCode) UnmarshalText(text []byte) error {
	s, err := op.BoundedText[string](text, 1, 50)
	*c = PlanCode(s)
	return err
}

// Schema describes the form of a code.
func (PlanCode) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", MinLength: 1, MaxLength: 50}
}
