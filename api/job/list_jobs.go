package job

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
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
