package jobs_test

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/jobs"
	"github.com/rodata/rodata/jobs/store"
	"github.com/rodata/rodata/testkit"
)

// BenchmarkWorkbook writes the result of a job of 10,000 rows as a workbook.
func BenchmarkWorkbook(b *testing.B) {
	db, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "jobs.db"))
	testkit.NoError(b, err)
	defer db.Close()

	const profile = `{"taxId":9900000010,"name":"EXEMPLU TRANSILVAN S.R.L.","companyType":"SRL","tradeNumber":"J12/101/2012","county":"CLUJ","city":"Cluj-Napoca","mainNaceCode":"6210","registrationDate":"2012-03-05","stateRegistration":"in_operation","address":"JUD. CLUJ, MUN. CLUJ-NAPOCA, STR. EXEMPLULUI, NR.2","vatPayer":true,"phone":"0000 000001","website":null}`
	j := &jobs.Job{ID: "job", Account: "acc", Status: job.Queued, Total: 10_000, CreatedAt: time.Now(),
		Order: jobs.Order{
			Columns: []string{"Furnizor", "CUI", "Oraș"}, ID: 1, Date: -1,
			Fields: []company.Field{"taxId", "name", "companyType", "tradeNumber", "county", "city", "mainNaceCode",
				"registrationDate", "stateRegistration", "address", "vatPayer", "phone", "website"},
		}}
	service := jobs.NewService(jobs.Service{Store: db, Results: &jobs.Results{Store: db, Dir: b.TempDir()},
		Purse: &purse{left: 1e6}, Wake: func() {}})
	var text strings.Builder
	text.WriteString("Furnizor;CUI;Oraș\n")
	for _, id := range numbers(10_000) {
		fmt.Fprintf(&text, "EXEMPLU;%s;Cluj-Napoca\n", id)
	}

	created, err := service.CreateJob(b.Context(), caller,
		job.Order{File: file(text.String()), Media: "text/csv", Fields: j.Order.Fields})
	testkit.NoError(b, err)

	for {
		c, _, err := db.Next(b.Context(), created.ID, time.Now())
		testkit.NoError(b, err)
		if c == nil {
			break
		}

		outcomes := make([]jobs.Outcome, c.Rows)
		for i := range outcomes {
			outcomes[i] = jobs.Outcome{Status: 200, TaxID: 9900000010, Profile: json.RawMessage(profile), Pass: 1}
		}
		testkit.NoError(b, db.Price(b.Context(), created.ID, c, outcomes, time.Now()))
		testkit.NoError(b, db.Settle(b.Context(), created.ID, c, jobs.Settled, time.Time{}, time.Now()))
	}

	stored, err := db.Job(b.Context(), "acc", created.ID)
	testkit.NoError(b, err)

	results := &jobs.Results{Store: db}
	b.ReportAllocs()
	for b.Loop() {
		testkit.NoError(b, results.Render(b.Context(), stored, job.ResultOrder{Format: job.XLSX}, io.Discard))
	}
}
