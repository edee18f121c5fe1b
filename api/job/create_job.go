package job

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type createJobInput struct {
	CSV     op.BodyFile    `arg:"csv" media:"text/csv" max:"20971520" doc:"A table with a header row, separated by commas, semicolons, tabs or vertical bars, in UTF-8, UTF-16, Windows-1250 or CP852."`
	XLSX    op.BodyFile    `arg:"xlsx" media:"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" max:"20971520" doc:"A workbook; the sheet with the table is found."`
	NDJSON  op.BodyFile    `arg:"ndjson" media:"application/x-ndjson" max:"20971520" doc:"One tax id or object per line."`
	JSON    op.BodyFile    `arg:"json" media:"application/json" max:"20971520" doc:"An array of tax ids or objects."`
	Name    Name           `arg:"name" doc:"Name of the list; default the name of the file in a form: shown in GET /v1/jobs, and the beginning of the names of its results." example:"furnizori.csv"`
	Column  Column         `arg:"column" doc:"Name of the tax id column, or its number from 1. Not needed for a column named cui, CIF, cod fiscal, tax id, vat number or the like, nor if most cells of only one column are tax ids." example:"CUI furnizor"`
	Dates   Column         `arg:"dateColumn" doc:"Name of the column with the date of each row, or its number from 1; none for no such column. Not needed for a column named date, data, data facturii, data documentului, invoice date or the like." example:"Data facturii"`
	Sheet   Column         `arg:"sheet" doc:"Name of the workbook's sheet, or its number from 1. Default: the visible one with the most tax ids in its first rows." example:"Furnizori"`
	Date    Day            `arg:"date" doc:"Date of the statuses, as in get_company, for rows without a value in the column of dates; default today." example:"2025-03-31"`
	Fields  op.List[Field] `arg:"fields" max:"2000" doc:"Profile fields to add as columns, separated by commas, with dots for nested ones: seat.city. Default: the fields of search_companies." example:"name,vatPayer,stateRegistration"`
	View    View           `arg:"view" doc:"verdict: add the fields taxId and name, or the given ones, and the verdict of verify_supplier for the row's date in short. Default: summary." example:"verdict"`
	Include op.List[Part]  `arg:"include" doc:"Parts to add: registers (farmers, non-profits, RO e-Factura), insolvency, verdict." example:"insolvency"`
}

// order returns the order of the file, without its key.
func (in *createJobInput) order() (Order, error) {
	file, media := in.file()
	if media == "" {
		return Order{}, problem.Invalid(&problem.InputError{Parameter: "file", Code: problem.Required,
			Accepted: "send a CSV, XLSX, NDJSON or JSON file as the body with its Content-Type, or as the field " +
				"file of a form"})
	}

	return Order{File: file.SectionReader, Media: media, Name: cmp.Or(string(in.Name), jobNameOf(file.Name)),
		Column: string(in.Column), DateColumn: string(in.Dates), Sheet: string(in.Sheet), Day: ro.Date(in.Date),
		Fields: jobFields(in.Fields, in.View, in.Include)}, nil
}

// file returns the uploaded file and its media type; empty without one.
func (in *createJobInput) file() (file op.BodyFile, media string) {
	for _, sent := range []struct {
		file  op.BodyFile
		media string
	}{{in.CSV, "text/csv"}, {in.XLSX, XLSX.Media()}, {in.NDJSON, op.NDJSONType}, {in.JSON, op.JSONType}} {
		if sent.file.SectionReader != nil {
			return sent.file, sent.media
		}
	}

	return op.BodyFile{}, ""
}

// Create returns the operation create_job.
func Create(jobs Jobs) *op.Operation {
	return op.Define(op.Spec{
		Name: "create_job", Method: "POST", Path: "/v1/jobs", Tag: tag.Jobs, Account: true, Mutates: true,
		Entitlement: metering.CompaniesRead, Success: http.StatusAccepted,
		Title: "Look up the companies in a file",
		Description: "Accepts a CSV, XLSX, NDJSON or JSON file of up to 20 MiB and 200,000 rows, as the body or as " +
			"the form field file (multipart/form-data), and looks up the company in each row in the background. The " +
			"result has the same rows in the same order, with all their columns, then status, problem and the " +
			"requested fields (GET /v1/jobs/{id}/result). Use batch_companies for up to 1,000 companies needed at " +
			"once. Costs 1 credit per distinct company and date found, charged as rows finish; a file that may cost " +
			"more credits than remain is refused with 402. With Prefer: wait=10, the call waits up to 10 seconds for " +
			"the job to end and then returns 200. Repeating an upload with its Idempotency-Key returns the same job. " +
			"Failed rows are retried for up to 24 hours. The file and result are deleted 7 days after the end.",
		Errors: []*problem.Kind{problem.QuotaExhausted, problem.IdempotencyKeyReused},
	}, func(ctx context.Context, caller account.Caller, in createJobInput) (op.Answer[*Job], error) {
		order, err := in.order()
		if err != nil {
			return op.Answer[*Job]{}, err
		}

		sent := op.EnvelopeOf(ctx)
		if sent.IdempotencyKey != "" {
			key, err := op.HashIdempotencyKey(sent.IdempotencyKey)
			if err != nil {
				return op.Answer[*Job]{}, err
			}

			sum := sha256.New()
			if _, err := io.Copy(sum, order.File); err != nil {
				return op.Answer[*Job]{}, fmt.Errorf("reading the upload: %w", err)
			}

			order.Key = key
			order.Fingerprint = op.Fingerprint("create_job", fmt.Sprintf("%s %q %q %q %q %s %q %x", order.Media,
				order.Name, order.Column, order.DateColumn, order.Sheet, order.Day, order.Fields, sum.Sum(nil)))
		}

		job, err := jobs.CreateJob(ctx, caller, order)
		sent.Upload.Close() // before the wait, which needs no turn
		if err == nil && sent.Wait > 0 {
			job, err = jobs.AwaitJob(ctx, caller.Account(), job.ID, sent.Wait)
		}
		if err != nil {
			return op.Answer[*Job]{}, jobProblem(ctx, "", err)
		}

		answer := op.Answer[*Job]{Value: job.named(ctx), Location: "/v1/jobs/" + string(job.ID)}
		if job.Status.Ended() {
			answer.Status = http.StatusOK
		}

		return answer, nil
	})
}
