package api

import (
	"context"

	"github.com/rodata/rodata/account"
)

// Health is the answer of a liveness probe.
type Health struct {
	Status string `json:"status" doc:"Always ok."`
}

func getHealth() *Operation {
	return Define(Spec{
		Name: "get_health", Method: "GET", Path: "/health", Tag: "System",
		Title:       "Check that the service answers",
		Description: "Reports that the process is alive. It calls no registry and no store, and has no rate limit.",
		Unmetered:   true, ForOperators: true,
	}, func(context.Context, account.Caller, struct{}) (Answer[Health], error) {
		return Answer[Health]{Value: Health{Status: "ok"}}, nil
	})
}
