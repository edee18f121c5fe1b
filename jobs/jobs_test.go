package jobs_test

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/internal/upload"
	"github.com/rodata/rodata/jobs"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
)

// bubble runs a test on a fake clock.
func bubble(t *testing.T, limits jobs.Limits, test func(t *testing.T, o *office)) {
	synctest.Test(t, func(t *testing.T) { test(t, open(t, limits)) })
}

// resultOrder orders the whole result.
func resultOrder(format job.Format) job.ResultOrder {
	return job.ResultOrder{Format: format, BaseURL: "https://rodata.example"}
}

func isRunning(err error) bool {
	return err != nil && strings.Contains(err.Error(), "the job has not ended")
}

func (o *office) result(t *testing.T, id job.ID, format job.Format) *os.File {
	t.Helper()
	doc := testkit.Must(o.JobResult(t.Context(), "acc", id, resultOrder(format)))
	file := testkit.Must(os.Open(doc.File.Path))
	t.Cleanup(func() { file.Close() })
	return file
}

func (o *office) rows(t *testing.T, id job.ID) [][]string {
	t.Helper()
	return readCSV(t, o.result(t, id, job.CSV).Name())
}

// readCSV returns the rows of a CSV file below the names of its columns.
func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	text := testkit.Must(os.ReadFile(path))
	rows := testkit.Must(csv.NewReader(bytes.NewReader(text)).ReadAll())
	return rows[1:]
}

// The result has the rows of the file in order, with their columns and the requested fields. Each company is charged
// once.
func TestRowsComeBack(t *testing.T) {
	bubble(t, jobs.Limits{}, func(t *testing.T, o *office) {
		ids := numbers(1001)
		o.registers.unknown[9900001019], o.registers.fresh[9900000010] = true, true
		rows := make([]string, 0, 1010)
		for _, id := range ids {
			rows = append(rows, id+",firm")
		}

		rows = append(rows, ids[0]+",again", "x,=1+1", ids[1000])
		j := o.create(t, rows...)
		if j.Status != job.Queued || j.Total != 1004 || j.CreditsReserved != 1001 || j.Column != "cui" ||
			j.ETASeconds != nil {
			t.Errorf("created %+v", j)
		}

		o.run(t)
		j = o.await(t, j.ID)
		if j.Status != job.Completed || j.Done != 1004 || j.Found != 1003 || j.Invalid != 1 ||
			j.CreditsCost != 1001 || j.CreditsReserved != 0 {
			t.Errorf("ended as %+v", j)
		}
		if o.purse.left != 1_000_000-1001 {
			t.Errorf("%d credits are left", o.purse.left)
		}
		if !j.ExpiresAt.Equal(j.CompletedAt.Add(7 * 24 * time.Hour)) {
			t.Errorf("the job ended at %v and expires at %v", j.CompletedAt, j.ExpiresAt)
		}

		got := o.rows(t, j.ID)
		if len(got) != 1004 {
			t.Fatalf("%d rows", len(got))
		}

		for i, id := range ids {
			want := []string{id, "firm", "200", "", "2000-01-01", id, "'=EXEMPLU " + id, "true"}
			if !slices.Equal(got[i], want) {
				t.Fatalf("row %d: %q, want %q", i, got[i], want)
			}
		}

		want := []string{"x", "'=1+1", "400", "taxId: x is not valid", "", "", "", ""}
		if !slices.Equal(got[1002], want) {
			t.Errorf("got %q, want %q", got[1002], want)
		}

		o.halt()
		if o.purse.held != 0 || o.ended.Load() != 1 {
			t.Errorf("%d holds are left, Ended was called %d times", o.purse.held, o.ended.Load())
		}
	})
}

func TestFormats(t *testing.T) {
	o := open(t, jobs.Limits{}) // the library for Parquet shares state between bubbles
	j := o.create(t, "9900000010,=1+1", "9900009990,\"a, b\"", "?")
	o.registers.unknown[9900009990] = true
	o.run(t)
	testkit.Must(o.AwaitJob(t.Context(), "acc", j.ID, time.Minute))

	today := ro.Today().String()
	lines := bufio.NewScanner(o.result(t, j.ID, job.NDJSON))
	want := []string{
		`{"index":0,"row":2,"input":{"cui":"9900000010","name":"=1+1"},"taxId":9900000010,"status":200,"asOf":"` + today + `","company":{"taxId":9900000010,"name":"=EXEMPLU 9900000010","vatPayer":true}}`,
		`{"index":1,"row":3,"input":{"cui":"9900009990","name":"a, b"},"taxId":9900009990,"status":404,"asOf":"` + today + `","problem":{"type":"https://rodata.example/problems/not-found","title":"Not found","status":404,"detail":"no register knows 9900009990","code":"not-found"}}`,
	}
	for _, line := range want {
		if lines.Scan(); lines.Text() != line || !json.Valid(lines.Bytes()) {
			t.Errorf("got %s, want %s", lines.Text(), line)
		}
	}

	workbook := testkit.Must(io.ReadAll(o.result(t, j.ID, job.XLSX)))
	var sheet [][]string
	read, err := company.ReadTable(t.Context(), io.NewSectionReader(bytes.NewReader(workbook), 0, int64(len(workbook))),
		upload.Options{Media: upload.XLSX, Column: "cui"}, func(_ *upload.Table, x *upload.Row) error {
			sheet = append(sheet, slices.Clone(x.Cells))
			return nil
		})
	if err != nil || !slices.Equal(read.Columns,
		[]string{"cui", "name", "status", "problem", "asOf", "taxId", "name (2)", "vatPayer"}) ||
		!slices.Equal(sheet[0], []string{"9900000010", "=1+1", "200", "", today, "9900000010",
			"=EXEMPLU 9900000010", "true"}) {
		t.Errorf("the workbook has %q, %q, %v", read.Columns, sheet, err)
	}

	file := o.result(t, j.ID, job.Parquet)
	info := testkit.Must(file.Stat())
	parquet := testkit.Must(table.OpenParquet(file, info.Size()))
	defer parquet.Close()

	row, err := parquet.Read()
	if err != nil || parquet.Len() != 3 ||
		!slices.Equal(row, []string{"9900000010", "=1+1", "200", "", today, "9900000010", "=EXEMPLU 9900000010",
			"true"}) {
		t.Errorf("the Parquet file has %d rows, the first %q, %v", parquet.Len(), row, err)
	}
}

// A row is retried for a day if its registry fails, and the other rows do not wait for it.
func TestFailedRowsAreTriedAgainLong(t *testing.T) {
	bubble(t, jobs.Limits{}, func(t *testing.T, o *office) {
		ids := numbers(2)
		var broken, slow ro.CUI
		_, _ = broken.UnmarshalText([]byte(ids[0])), slow.UnmarshalText([]byte(ids[1]))
		o.registers.failing[broken], o.registers.failing[slow] = true, true
		j := o.create(t, ids[0], ids[1], "9900000010")
		o.run(t)
		<-time.After(30 * time.Second)
		synctest.Wait()
		now, err := o.Job(t.Context(), "acc", j.ID)
		if err != nil || now.Status != job.Running || now.Done != 1 || now.Failed != 0 || now.CreditsCost != 1 ||
			now.CreditsReserved != 2 {
			t.Errorf("after 30 seconds %+v, %v", now, err)
		}

		// The job says how many rows are retried, and when. The remaining time counts the retry.
		if left := time.Until(*now.RetryAt); now.Retrying != 2 || left < 20*time.Second || left > 35*time.Second ||
			*now.ETASeconds < int(left.Seconds()) || *now.ETASeconds > 40 {
			t.Errorf("%d rows are retried at %v, %d seconds are left", now.Retrying, now.RetryAt, *now.ETASeconds)
		}

		// The rows that are ready can be downloaded in the meantime.
		partial := resultOrder(job.CSV)
		partial.Partial = true
		doc, err := o.JobResult(t.Context(), "acc", j.ID, partial)
		if err != nil || !strings.HasSuffix(doc.File.Disposition[0], `-1-of-3.csv"`) {
			t.Fatal(doc, err)
		}
		if rows := readCSV(t, doc.File.Path); len(rows) != 3 || rows[0][2] != "502" ||
			rows[2][2] != "200" || rows[2][4] != "2000-01-01" {
			t.Errorf("the partial result is %q", rows)
		}

		o.registers.set(func() { o.registers.failing[slow] = false })
		<-time.After(time.Minute)
		if now, err := o.Job(t.Context(), "acc", j.ID); err != nil || now.Done != 2 || now.CreditsCost != 2 {
			t.Errorf("after 90 seconds %+v, %v", now, err)
		}

		long.Only(t, "the runner looks for jobs every second, and a day of that takes seconds")

		began := time.Now()
		j = o.await(t, j.ID)
		if j.Status != job.Completed || j.Failed != 1 || j.Found != 2 || j.CreditsCost != 2 {
			t.Errorf("ended as %+v", j)
		}
		if took := time.Since(began); took < 23*time.Hour || took > 25*time.Hour {
			t.Errorf("the job ended after %v", took)
		}
		if n := len(o.registers.warmed); n < 20 || n > 40 {
			t.Errorf("the registry was asked %d times", n)
		}
		if row := o.rows(t, j.ID)[0]; row[2] != "502" || row[3] != "the registry is down" {
			t.Errorf("got %q", row)
		}
	})
}

// While the registry must not be queried, a job waits. It continues afterwards.
func TestJobWaitsForTheRegistry(t *testing.T) {
	bubble(t, jobs.Limits{}, func(t *testing.T, o *office) {
		o.registers.down = true
		job := o.create(t, "9900000010")
		o.run(t)
		<-time.After(time.Hour)
		if now, err := o.Job(t.Context(), "acc", job.ID); err != nil || now.Done != 0 || len(o.registers.warmed) != 0 {
			t.Errorf("%+v, %v, asked %d times", now, err, len(o.registers.warmed))
		}

		o.registers.set(func() { o.registers.down = false })
		if job := o.await(t, job.ID); job.Found != 1 {
			t.Errorf("ended as %+v", job)
		}
	})
}

// A look-up that fails as a whole is logged and tried again.
func TestFailedLookUpIsLogged(t *testing.T) {
	bubble(t, jobs.Limits{}, func(t *testing.T, o *office) {
		o.registers.broken = errors.New("the index cannot be read")
		job := o.create(t, "9900000010")
		o.run(t)
		if job := o.await(t, job.ID); job.Found != 1 {
			t.Errorf("ended as %+v", job)
		}

		o.halt()
		if log := o.log.String(); !strings.Contains(log, "the index cannot be read") {
			t.Errorf("logged %q", log)
		}
	})
}

// All jobs together request companies that are not stored with at most half of the ration.
func TestShareOfTheRation(t *testing.T) {
	bubble(t, jobs.Limits{}, func(t *testing.T, o *office) {
		ids := numbers(4000)
		first, second := o.create(t, ids[:2000]...), o.create(t, ids[2000:]...)
		began := time.Now()
		o.run(t)
		o.await(t, first.ID)
		o.await(t, second.ID)
		// The companies of each job take 20 calls, and a call is due every 2.1 seconds. The first 7 calls begin at
		// once.
		const call = 2100 * time.Millisecond
		if took := time.Since(began); took < 33*call || took > 41*call {
			t.Errorf("4,000 companies took %v", took)
		}

		for i := 1400; i < len(o.registers.warmed); i++ {
			// 700 and 600, or 700 twice
			if apart := o.registers.warmed[i].Sub(o.registers.warmed[i-1400]); apart < 13*call {
				t.Fatalf("company %d was requested %v after the company 1,400 places before it", i, apart)
			}
		}
	})
}

// A job fails if its account runs out of credits. The result then contains the paid rows, and no others.
func TestOutOfCredits(t *testing.T) {
	bubble(t, jobs.Limits{}, func(t *testing.T, o *office) {
		ids := numbers(1200)
		j := o.create(t, ids...)
		o.purse.left = 1100 // other calls have used the rest
		o.run(t)
		j = o.await(t, j.ID)
		if j.Status != job.Failed || j.Problem == nil || j.Problem.Kind.Slug != "quota-exhausted" ||
			!strings.Contains(j.Problem.Detail, "after 700 of 1200 rows") || j.CreditsCost != 700 ||
			o.purse.left != 400 {
			t.Errorf("ended as %+v, with %d credits left", j, o.purse.left)
		}

		rows := o.rows(t, j.ID)
		if len(rows) != 1200 || rows[699][2] != "200" || rows[700][2] != "" || rows[700][4] != "" ||
			!strings.Contains(rows[700][3], "not looked up") {
			t.Errorf("%d rows: %q, %q", len(rows), rows[699], rows[700])
		}
	})
}

func TestUploadIsRefused(t *testing.T) {
	o := open(t, jobs.Limits{Unfinished: 2})
	o.purse.left = 1
	if _, err := o.CreateJob(t.Context(), caller, order(numbers(3)...)); !strings.Contains(fmt.Sprint(err),
		"has 3 distinct companies and may cost that many credits, but the plan has 1 left") {
		t.Errorf("got %v", err)
	}

	o.purse.left = 100
	o.create(t, "9900000010")
	o.create(t, "9900000010")
	if _, err := o.CreateJob(t.Context(), caller, order("9900000010")); !strings.Contains(fmt.Sprint(err),
		"has 2 unfinished jobs") {
		t.Errorf("got %v", err)
	}
}

// Repeating an upload under an Idempotency-Key returns the same job. A different upload under the key is refused.
func TestRepeatedUpload(t *testing.T) {
	o := open(t, jobs.Limits{Unfinished: 1})
	upload := order("9900000010")
	upload.Key, upload.Fingerprint = "hash", "one"
	first := testkit.Must(o.CreateJob(t.Context(), caller, upload))
	if again, err := o.CreateJob(t.Context(), caller, upload); err != nil || again.ID != first.ID {
		t.Errorf("got %+v, %v, want %s", again, err, first.ID)
	}

	upload.Fingerprint = "two"
	if _, err := o.CreateJob(t.Context(), caller, upload); !errors.Is(err, job.ErrOtherUpload) {
		t.Errorf("got %v", err)
	}
}

func TestJobOfAnotherAccount(t *testing.T) {
	o := open(t, jobs.Limits{})
	j := o.create(t, "9900000010")
	for name, call := range map[string]func() error{
		"get":    func() error { _, err := o.Job(t.Context(), "other", j.ID); return err },
		"await":  func() error { _, err := o.AwaitJob(t.Context(), "other", j.ID, time.Hour); return err },
		"cancel": func() error { return o.CancelJob(t.Context(), "other", j.ID) },
		"result": func() error {
			_, err := o.JobResult(t.Context(), "other", j.ID, resultOrder(job.CSV))
			return err
		},
	} {
		if err := call(); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}

	if all, err := o.Jobs(t.Context(), "other", 100, 0); err != nil || len(all) != 0 {
		t.Errorf("the jobs are %v, %v", all, err)
	}
}

func TestCancelledJob(t *testing.T) {
	bubble(t, jobs.Limits{}, func(t *testing.T, o *office) {
		j := o.create(t, numbers(2000)...)
		if _, err := o.JobResult(t.Context(), "acc", j.ID, resultOrder(job.CSV)); !isRunning(err) {
			t.Errorf("a result before the end: %v", err)
		}

		o.run(t)
		<-time.After(10 * time.Second)
		for range 2 { // the second time changes nothing
			testkit.NoError(t, o.CancelJob(t.Context(), "acc", j.ID))
		}

		<-time.After(time.Minute)
		j = o.await(t, j.ID)
		if j.Status != job.Cancelled || j.Done != 700 || j.CreditsCost != 700 ||
			o.purse.left != 1_000_000-700 {
			t.Errorf("ended as %+v, with %d credits left", j, o.purse.left)
		}
		if rows := o.rows(t, j.ID); len(rows) != 2000 || rows[0][2] != "200" || rows[1999][2] != "" {
			t.Errorf("%d rows, the last %q", len(rows), rows[len(rows)-1])
		}
	})
}

// A week after the end of a job, its file and result are gone.
func TestExpiry(t *testing.T) {
	bubble(t, jobs.Limits{}, func(t *testing.T, o *office) {
		j := o.create(t, "9900000010")
		o.run(t)
		o.await(t, j.ID)
		path := o.result(t, j.ID, job.CSV).Name()
		if ids, err := o.store.Expire(t.Context(), time.Now().Add(jobs.KeptFor-time.Hour)); err != nil ||
			len(ids) != 0 {
			t.Errorf("after less than a week: %v, %v", ids, err)
		}

		ids, err := o.store.Expire(t.Context(), time.Now().Add(jobs.KeptFor))
		if err != nil || !slices.Equal(ids, []job.ID{j.ID}) {
			t.Errorf("after a week: %v, %v", ids, err)
		}
		if err := o.Results.Delete(ids); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the file stays: %v", err)
		}
		if _, err := o.Job(t.Context(), "acc", j.ID); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("got %v", err)
		}
	})
}

// The tag of a result depends only on its bytes. If the file was deleted and is written again, the tag is the same.
func TestTagOfAResult(t *testing.T) {
	bubble(t, jobs.Limits{}, func(t *testing.T, o *office) {
		j := o.create(t, "9900000010")
		o.run(t)
		o.await(t, j.ID)
		first, err := o.JobResult(t.Context(), "acc", j.ID, resultOrder(job.CSV))
		if err == nil {
			err = o.Results.Delete([]job.ID{j.ID})
		}

		again, err2 := o.JobResult(t.Context(), "acc", j.ID, resultOrder(job.CSV))
		if err != nil || err2 != nil || first.ETag() != again.ETag() || len(first.ETag()) < 10 {
			t.Errorf("%v %v", err, err2)
		}
	})
}

// Stored companies do not wait for a turn, even while other jobs use the ration.
func TestStoredRowsDoNotWait(t *testing.T) {
	bubble(t, jobs.Limits{}, func(t *testing.T, o *office) {
		slow := o.create(t, numbers(4000)...)
		o.registers.fresh[9900000010] = true
		o.run(t)
		<-time.After(time.Second)
		quick, began := o.create(t, "9900000010"), time.Now()
		o.await(t, quick.ID)
		if took := time.Since(began); took > 11*time.Second {
			t.Errorf("a stored row took %v", took)
		}
		if err := o.CancelJob(t.Context(), "acc", slow.ID); err != nil {
			t.Error(err)
		}
	})
}

// Names of columns that Parquet does not allow are replaced, and stay distinct.
func TestColumnsOfParquet(t *testing.T) {
	o := open(t, jobs.Limits{}) // the library for Parquet shares state between bubbles
	upload := order()
	upload.File = file("cui;a,b;a.b;\"a;b\"\n9900000010;1;2;3\n")
	upload.Fields = []company.Field{"taxId", "seat.city"}
	j := testkit.Must(o.CreateJob(t.Context(), caller, upload))
	o.run(t)
	testkit.Must(o.AwaitJob(t.Context(), "acc", j.ID, time.Minute))

	file := o.result(t, j.ID, job.Parquet)
	info := testkit.Must(file.Stat())
	parquet := testkit.Must(table.OpenParquet(file, info.Size()))
	defer parquet.Close()

	var names []string
	for _, c := range parquet.Columns() {
		names = append(names, c.Name)
	}

	row, err := parquet.Read()
	want := []string{"cui", "a;b", "a.b", "a;b (2)", "status", "problem", "asOf", "taxId", "seat.city"}
	if err != nil || !slices.Equal(names, want) || row[3] != "3" {
		t.Errorf("%q, %q, %v, want %q", names, row, err, want)
	}
}

// On a disk that is almost full, a file is refused before anything of it is stored, and existing jobs are kept.
func TestFullDisk(t *testing.T) {
	o := open(t, jobs.Limits{})
	job := o.create(t, "9900000010")
	o.Limits.Free = math.MaxInt64 // more than any disk has
	_, err := o.CreateJob(t.Context(), caller, order("9900000010"))
	if p := refused(t, err); p.Kind != problem.Unavailable || p.RetryAfter == 0 ||
		!strings.Contains(p.Detail, "the file was not stored") {
		t.Errorf("got %v", err)
	}
	if all, err := o.Jobs(t.Context(), "acc", 10, 0); err != nil || len(all) != 1 || all[0].ID != job.ID {
		t.Errorf("got %v, %v", all, err)
	}

	o.Limits.Free = 1
	o.create(t, "9900000010")
}

// The limits that are not set have the defaults that docs/jobs.md states.
func TestDefaultLimits(t *testing.T) {
	got := jobs.NewService(jobs.Service{}).Limits
	if want := (jobs.Limits{Unfinished: 20, Kept: 500, Storage: 1 << 30, Result: 1 << 30, Rows: 32 << 20,
		Free: 512 << 20}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}

	set := jobs.Limits{Unfinished: 1, Kept: 2, Storage: 3, Result: 4, Rows: 5, Free: 6}
	if got := jobs.NewService(jobs.Service{Limits: set}).Limits; got != set {
		t.Errorf("got %+v, want %+v", got, set)
	}
}
