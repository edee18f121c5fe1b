package job

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// Preview is what a job would make of a file.
type Preview struct {
	Total           int `json:"total" doc:"Rows in the file, without empty rows and the header row."`
	Invalid         int `json:"invalid" doc:"Rows with a wrong number or date."`
	Blank           int `json:"blank" doc:"Rows with no number."`
	CreditsReserved int `json:"creditsReserved" doc:"Maximum cost of the job, in credits: 1 for each distinct company and date."`
	ETASeconds      int `json:"etaSeconds" doc:"Estimated seconds of the job if no company is cached and no other job runs."`
	Layout
	Sheets     []string   `json:"sheets" doc:"The visible sheets of a workbook; empty for other files."`
	Columns    []string   `json:"columns" doc:"The names of all columns, in order; the parameters column and dateColumn take a name or its number, from 1."`
	FirstRows  [][]string `json:"firstRows" doc:"The first 20 rows below the header, a text for each column; long ones are cut."`
	RowNumbers []int      `json:"rowNumbers" doc:"The row numbers of firstRows in the file or the sheet, from 1."`
}

// Choices are the sheets and the columns that a caller may choose, if the table in a file was not recognised.
type Choices struct {
	Sheets  []string `json:"sheets,omitempty"`
	Columns []string `json:"columns,omitempty"`
}

// PreviewOf returns the operation preview_job.
func PreviewOf(jobs Jobs) *op.Operation {
	return op.Define(op.Spec{
		Name: "preview_job", Method: "POST", Path: "/v1/jobs/preview", Tag: tag.Jobs, Account: true, Guests: true,
		Entitlement: metering.CompaniesRead,
		Title:       "Preview a job",
		Description: "What create_job would recognise in a file: its sheet, header and columns, the first rows, the " +
			"maximum cost and the expected time. Takes the same file and parameters, within the same limits, and " +
			"refuses what create_job would refuse, except for the limits on the account's jobs and their storage. " +
			"Looks up nothing and stores nothing. Free, also without a key.",
		Errors: []*problem.Kind{problem.QuotaExhausted},
	}, func(ctx context.Context, caller account.Caller, in createJobInput) (op.Answer[*Preview], error) {
		order, err := in.order()
		if err != nil {
			return op.Answer[*Preview]{}, err
		}

		preview, err := jobs.PreviewJob(ctx, caller, order)
		return op.Answer[*Preview]{Value: preview}, jobProblem(ctx, "", err)
	})
}
