package api

import (
	"context"
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
)

func cancelJob(jobs Jobs) *Operation {
	return Define(Spec{
		Name: "cancel_job", Method: "DELETE", Path: "/v1/jobs/{id}", Tag: "Jobs", Account: true, Mutates: true,
		Destructive: true, Success: http.StatusNoContent,
		Title: "Cancel a job",
		Description: "Cancels a job. Free. Finished rows stay charged, and can be downloaded until they expire. " +
			"Cancelling a job that has ended has no effect.",
		Errors: []*problem.Kind{problem.NotFound},
	}, func(ctx context.Context, caller account.Caller, in jobInput) (Answer[struct{}], error) {
		return Answer[struct{}]{}, jobProblem(ctx, in.ID, jobs.CancelJob(ctx, caller.Account(), in.ID))
	})
}
