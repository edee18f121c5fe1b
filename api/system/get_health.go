package system

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
)

// Health is the answer of a liveness probe.
type Health struct {
	Status string `json:"status" doc:"Always ok."`
}

// GetHealth returns the operation get_health.
func GetHealth() *op.Operation {
	return op.Define(op.Spec{
		Name: "get_health", Method: "GET", Path: "/health", Tag: tag.System,
		Title:       "Check that the service answers",
		Description: "Reports that the process is alive. It calls no registry and no store, and has no rate limit.",
		Unmetered:   true, ForOperators: true,
	}, func(context.Context, account.Caller, struct{}) (op.Answer[Health], error) {
		return op.Answer[Health]{Value: Health{Status: "ok"}}, nil
	})
}
