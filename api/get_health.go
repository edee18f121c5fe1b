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
		Description: "Says that the process is alive. It asks no registry and no store, and is never limited.",
		Unmetered:   true, ForOperators: true,
	}, func(context.Context, account.Caller, struct{}) (Answer[Health], error) {
		return Answer[Health]{Value: Health{Status: "ok"}}, nil
	})
}
