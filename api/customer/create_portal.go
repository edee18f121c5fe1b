package customer

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// CreatePortal returns the operation create_portal.
func CreatePortal(billing Billing) *op.Operation {
	return op.Define(op.Spec{
		Name: "create_portal", Method: "POST", Path: "/v1/billing/portal", Tag: tag.Billing, Account: true,
		Title: "Manage the subscription",
		Description: "Returns the URL of a page to change or cancel the account's subscription and edit its payment " +
			"methods and billing details. An account that has never bought a plan has no such page: 404.",
		Errors: []*problem.Kind{problem.NotFound},
	}, func(ctx context.Context, caller account.Caller, _ struct{}) (op.Answer[PaymentPage], error) {
		url, err := billing.Portal(ctx, caller.Account())
		if err != nil {
			return op.Answer[PaymentPage]{}, billingProblem(err)
		}
		return op.Answer[PaymentPage]{Value: PaymentPage{url}}, nil
	})
}
