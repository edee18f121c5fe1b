package jobs_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/jobs"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// emptyStore holds no rows.
type emptyStore struct{ jobs.Store }

func (emptyStore) Chunk(context.Context, job.ID, int) (*jobs.Chunk, error) { return nil, nil }

// A workbook and a Parquet file name the sources of their rows with the days of their data: that of the tax authority
// is the day in Bucharest at the end of the job, and that of the trade register is the day of its release.
func TestResultNamesTheDaysOfItsSources(t *testing.T) {
	results := &jobs.Results{Store: emptyStore{}, Through: func() ro.Date { return ro.NewDate(2026, 3, 2) }}
	ended := &jobs.Job{ID: "1", Status: job.Completed, CompletedAt: time.Date(2026, 3, 31, 21, 30, 0, 0, time.UTC),
		Order: jobs.Order{Columns: []string{"cui"}, Date: -1, Day: ro.NewDate(2025, 12, 31),
			Fields: []company.Field{"name"}}}
	want := map[string]string{"source 1": "Romanian tax authority (ANAF)", "date 1": "2026-04-01",
		"source 2": company.TradeRegisterName, "date 2": "2026-03-02", "statuses as of": "2025-12-31"}

	var book, file bytes.Buffer
	testkit.NoError(t, results.Render(t.Context(), ended, resultOrder(job.XLSX), &book))
	testkit.NoError(t, results.Render(t.Context(), ended, resultOrder(job.Parquet), &file))
	read := testkit.Must(excelize.OpenReader(&book))
	defer read.Close()

	shown := make(map[string]string)
	for _, row := range testkit.Must(read.GetRows("info")) {
		shown[row[0]] = row[1]
	}

	parquet := testkit.Must(table.OpenParquet(bytes.NewReader(file.Bytes()), int64(file.Len())))
	defer parquet.Close()

	for name, text := range want {
		if shown[name] != text || parquet.Note(name) != text {
			t.Errorf("%s is %q in the workbook and %q in the Parquet file, want %q", name, shown[name],
				parquet.Note(name), text)
		}
	}
}
