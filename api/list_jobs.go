package api

import (
	"context"

	"github.com/rodata/rodata/account"
)

type listJobsInput struct {
	Limit  Limit  `arg:"limit" default:"100" doc:"Page size, 1 to 100."`
	Offset Offset `arg:"offset" default:"0" doc:"Jobs to skip."`
}

func listJobs(jobs Jobs) *Operation {
	return Define(Spec{
		Name: "list_jobs", Method: "GET", Path: "/v1/jobs", Tag: "Jobs", Account: true,
		Title: "List jobs",
		Description: "Jobs of the caller's account, newest first, 100 or limit at a time; a shorter page is the last " +
			"one. Free. A job is listed until 7 days after it ends.",
	}, func(ctx context.Context, caller account.Caller, in listJobsInput) (Answer[[]Job], error) {
		all, err := jobs.Jobs(ctx, caller.Account(), int(in.Limit), int(in.Offset))
		for i := range all {
			all[i].named(ctx)
		}
		return Answer[[]Job]{Value: all}, jobProblem(ctx, "", err)
	})
}
