package job

import (
	"context"
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

type listJobsInput struct {
	Limit  op.Limit  `arg:"limit" default:"100" doc:"Page size, 1 to 100."`
	Offset op.Offset `arg:"offset" default:"0" doc:"Jobs to skip."`
}

// List returns the operation list_jobs.
func List(jobs Jobs) *op.Operation {
	return op.Define(op.Spec{
		Name: "list_jobs", Method: "GET", Path: "/v1/jobs", Tag: tag.Jobs, Account: true,
		Title: "List jobs",
		Description: "Jobs of the caller's account, newest first, 100 or limit at a time; a shorter page is the last " +
			"one. Free. A job is listed until 7 days after it ends.",
	}, func(ctx context.Context, caller account.Caller, in listJobsInput) (op.Answer[[]Job], error) {
		all, err := jobs.Jobs(ctx, caller.Account(), int(in.Limit), int(in.Offset))
		for i := range all {
			all[i].named(ctx)
		}
		return op.Answer[[]Job]{Value: all}, jobProblem(ctx, "", err)
	})
}

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

type cancelJobInput struct {
	jobInput
	Erase op.Flag `arg:"erase" doc:"true also deletes the job with its file and result, whether or not it has ended."`
}

// Cancel returns the operation cancel_job.
func Cancel(jobs Jobs) *op.Operation {
	return op.Define(op.Spec{
		Name: "cancel_job", Method: "DELETE", Path: "/v1/jobs/{id}", Tag: tag.Jobs, Account: true, Mutates: true,
		Destructive: true, Success: http.StatusNoContent,
		Title: "Cancel a job",
		Description: "Cancels a job. Free. Finished rows stay charged, and can be downloaded until they expire. " +
			"Cancelling a job that has ended has no effect. With erase=true the job is deleted at once, with its file " +
			"and its result.",
		Errors: []*problem.Kind{problem.NotFound},
	}, func(ctx context.Context, caller account.Caller, in cancelJobInput) (op.Answer[struct{}], error) {
		end := jobs.CancelJob
		if in.Erase {
			end = jobs.DeleteJob
		}
		return op.Answer[struct{}]{}, jobProblem(ctx, in.ID, end(ctx, caller.Account(), in.ID))
	})
}
