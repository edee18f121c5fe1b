package job

import (
	"cmp"
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

type getJobResultInput struct {
	jobInput
	Format  Format  `arg:"format" doc:"csv, xlsx, ndjson or parquet; default as in the Accept header, else csv." example:"xlsx"`
	Partial op.Flag `arg:"partial" doc:"true also answers while the job runs, with the rows that are ready: the others have no status. The file name says how many are."`
}

// stored implements Renderer with an existing document.
type stored struct{ *op.Document }

func (s stored) Render(context.Context, string, string) (*op.Document, error) { return s.Document, nil }

// GetResult returns the operation get_job_result.
func GetResult(jobs Jobs) *op.Operation {
	var alternates []op.Alternate
	for _, known := range jobFormats[1:] {
		alternates = append(alternates, op.Alternate{Type: known.media,
			Description: "The same rows as " + string(known.format) + "."})
	}

	return op.Define(op.Spec{
		Name: "get_job_result", Method: "GET", Path: "/v1/jobs/{id}/result", Tag: tag.Jobs, Account: true,
		Media: jobFormats[0].media, Alternates: alternates,
		Title: "Download the result of a job",
		Description: "The rows of the file in order, each with all its columns, then status, problem and the " +
			"requested fields. Free. status is the HTTP status that a look-up of the company alone would return: " +
			"200, 400 for an invalid number, 404 for an unknown one, 502, 503 or 504 for a failure; it is empty in " +
			"rows that a failed or cancelled job did not reach. asOf is the day that the row is about. Range requests " +
			"and ETag are supported. Until the job has ended, the answer is 503 with Retry-After, or with " +
			"partial=true the rows that are ready.",
		Errors: []*problem.Kind{problem.NotFound, problem.RangeNotSatisfiable},
	}, func(ctx context.Context, caller account.Caller, in getJobResultInput) (op.Answer[op.Binary], error) {
		file, err := jobs.JobResult(ctx, caller.Account(), in.ID, ResultOrder{
			Format: cmp.Or(in.Format, jobFormatOf(op.EnvelopeOf(ctx).Media)), Partial: bool(in.Partial),
			BaseURL: op.BaseURLOf(ctx),
		})
		return op.Answer[op.Binary]{Document: file, Renderer: stored{file}}, jobProblem(ctx, in.ID, err)
	})
}
