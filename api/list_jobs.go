package api

import (
	"context"

	"github.com/rodata/rodata/account"
)

func listJobs(jobs Jobs) *Operation {
	return Define(Spec{
		Name: "list_jobs", Method: "GET", Path: "/v1/jobs", Tag: "Jobs", Account: true,
		Title:       "List jobs",
		Description: "Jobs of the caller's account, newest first. Free. A job is listed until 7 days after it ends.",
	}, func(ctx context.Context, caller account.Caller, _ struct{}) (Answer[[]Job], error) {
		all, err := jobs.Jobs(ctx, caller.Account())
		for i := range all {
			all[i].named(ctx)
		}
		return Answer[[]Job]{Value: all}, jobProblem(ctx, "", err)
	})
}
