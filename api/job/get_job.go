package job

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// Get returns the operation get_job.
func Get(jobs Jobs) *op.Operation {
	return op.Define(op.Spec{
		Name: "get_job", Method: "GET", Path: "/v1/jobs/{id}", Tag: tag.Jobs, Account: true,
		Title: "Get a job",
		Description: "The progress of a job, its cost so far, and an estimate of the remaining time. Free. Poll " +
			"every few seconds, or have the event job.completed sent to a webhook.",
		Errors: []*problem.Kind{problem.NotFound},
	}, func(ctx context.Context, caller account.Caller, in jobInput) (op.Answer[*Job], error) {
		job, err := jobs.Job(ctx, caller.Account(), in.ID)
		return op.Answer[*Job]{Value: job.named(ctx)}, jobProblem(ctx, in.ID, err)
	})
}
