package job

import (
	"context"
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

type cancelJobInput struct {
	ID    ID      `arg:"id" in:"path" doc:"Id of the job, as GET /v1/jobs lists it." example:"01a20687-40e0-7551-bb2e-a0b1a3896b10"`
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
