package jobs_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/jobs"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/testkit"
)

// refused returns the problem of an error.
func refused(t *testing.T, err error) *problem.Problem {
	t.Helper()
	p, ok := errors.AsType[*problem.Problem](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	return p
}

// A small file is refused if its result would be large because each row repeats the names of the columns.
func TestLargeResultIsRefused(t *testing.T) {
	o := open(t, jobs.Limits{})
	names := []string{"cui"}
	for i := range 190 {
		names = append(names, fmt.Sprintf("%0190d", i))
	}

	upload := order()
	upload.File = file(strings.Join(names, ",") + "\n" + strings.Repeat("9900000010\n", 31_000))
	_, err := o.CreateJob(t.Context(), caller, upload)
	if p := refused(t, err); p.Status() != 400 || !strings.Contains(p.Detail, "split the file") {
		t.Errorf("got %s", p.Detail)
	}
}

// In a small workbook, many cells can share a long text. A job for such a file is refused before its rows, which do not
// compress, fill the memory.
func TestLargeRowsAreRefused(t *testing.T) {
	o := open(t, jobs.Limits{Rows: 2 << 20})
	texts := make([]byte, 24_000*64)
	_, _ = rand.NewChaCha8([32]byte{}).Read(texts)
	book := excelize.NewFile()
	for i := range 128 {
		at := i % 64 * 24_000
		row := []any{9900000010, base64.StdEncoding.EncodeToString(texts[at : at+24_000])}
		testkit.NoError(t, book.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row))
	}

	var out bytes.Buffer
	testkit.NoError(t, book.Write(&out))
	upload := order()
	upload.Media, upload.File = job.XLSX.Media(), file(out.String())
	_, err := o.CreateJob(t.Context(), caller, upload)
	if p := refused(t, err); !strings.Contains(p.Detail, "2 MiB even compressed") {
		t.Errorf("%d KiB: %s", out.Len()>>10, p.Detail)
	}
}

// A result is not written beyond its limit, whatever its size was estimated to be. Nothing is left of it.
func TestResultIsBoundedWhileItIsWritten(t *testing.T) {
	bubble(t, jobs.Limits{Result: 40_000}, func(t *testing.T, o *office) {
		o.registers.fresh[9900000010] = true
		j := o.create(t, "9900000010,"+strings.Repeat("\x01", 30_000)) // JSON escapes each as \u0001
		o.run(t)
		o.await(t, j.ID)
		_, err := o.JobResult(t.Context(), "acc", j.ID, resultOrder(job.NDJSON))
		if p := refused(t, err); p.Status() != 400 || !strings.Contains(p.Detail, "another format") {
			t.Errorf("got %s", p.Detail)
		}
		if left, err := os.ReadDir(o.Results.Dir); err != nil || len(left) > 0 {
			t.Errorf("%v are left, %v", left, err)
		}

		o.rows(t, j.ID)
	})
}

// Results of an account take a bounded space: the oldest ones go, and are written again when they are requested.
func TestOldResultsMakeRoom(t *testing.T) {
	bubble(t, jobs.Limits{Storage: 20_000}, func(t *testing.T, o *office) {
		o.registers.fresh[9900000010] = true
		j := o.create(t, "9900000010,"+strings.Repeat("a", 15_000))
		o.run(t)
		o.await(t, j.ID)
		for range 2 {
			for _, format := range []job.Format{job.CSV, job.NDJSON} {
				o.result(t, j.ID, format)
				<-time.After(time.Second)
			}
		}
		o.result(t, j.ID, job.XLSX)
		if left, err := os.ReadDir(o.Results.Dir); err != nil || len(left) != 2 {
			t.Errorf("%v are left, %v", left, err)
		}
	})
}

// slowStore takes its time to read the rows of one account's job.
type slowStore struct {
	jobs.Store
	slow    job.ID
	reading chan struct{} // closed once the rows are requested
	read    chan struct{} // the rows are returned once it is closed
}

func (s *slowStore) Chunk(ctx context.Context, id job.ID, number int) (*jobs.Chunk, error) {
	if id == s.slow && number == 0 {
		close(s.reading)
		<-s.read
	}
	return s.Store.Chunk(ctx, id, number)
}

// While the large result of a job is written, another job of the account has its own, and so has another account,
// however many readers wait for the large one.
func TestResultsDoNotWaitForOtherJobs(t *testing.T) {
	bubble(t, jobs.Limits{}, func(t *testing.T, o *office) {
		o.registers.fresh[9900000010] = true
		large, small := o.create(t, "9900000010"), o.create(t, "9900000010")
		other := account.Caller{Key: &account.Key{ID: "other", Account: "other"}}
		others := testkit.Must(o.CreateJob(t.Context(), other, order("9900000010")))
		o.run(t)
		o.await(t, large.ID)
		o.await(t, small.ID)
		slow := &slowStore{o.store, large.ID, make(chan struct{}), make(chan struct{})}
		o.Results.Store = slow
		var readers sync.WaitGroup
		for range 3 {
			readers.Go(func() {
				if _, err := o.JobResult(t.Context(), "acc", large.ID, resultOrder(job.CSV)); err != nil {
					t.Error(err)
				}
			})
		}
		<-slow.reading
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := o.JobResult(ctx, "acc", small.ID, resultOrder(job.CSV)); err != nil {
			t.Error(err)
		}
		if _, err := o.JobResult(ctx, "other", others.ID, resultOrder(job.CSV)); err != nil {
			t.Error(err)
		}

		close(slow.read)
		readers.Wait()
	})
}

// countingStore counts the jobs whose rows are read at a time.
type countingStore struct {
	jobs.Store
	now, most atomic.Int64
}

func (s *countingStore) Chunk(ctx context.Context, id job.ID, number int) (*jobs.Chunk, error) {
	if number == 0 {
		if now := s.now.Add(1); now > s.most.Load() {
			s.most.Store(now)
		}
		<-time.After(time.Second)
		s.now.Add(-1)
	}
	return s.Store.Chunk(ctx, id, number)
}

// Two Parquet files are written at a time, because each takes much memory.
func TestFewParquetFilesAtATime(t *testing.T) {
	bubble(t, jobs.Limits{}, func(t *testing.T, o *office) {
		o.registers.fresh[9900000010] = true
		counting := &countingStore{Store: o.store}
		o.Results.Store = counting
		ids := make(map[string]job.ID)
		for i := range 6 {
			name := strconv.Itoa(i)
			j, err := o.CreateJob(t.Context(), account.Caller{Key: &account.Key{ID: name, Account: name}},
				order("9900000010"))
			testkit.NoError(t, err)
			ids[name] = j.ID
		}
		o.run(t)
		<-time.After(time.Minute)

		var readers sync.WaitGroup
		for name, id := range ids {
			readers.Go(func() {
				if _, err := o.JobResult(t.Context(), name, id, resultOrder(job.Parquet)); err != nil {
					t.Error(err)
				}
			})
		}

		readers.Wait()
		if most := counting.most.Load(); most != 2 {
			t.Errorf("%d at a time", most)
		}
	})
}

// A result that is being written while its job is deleted is deleted with it, also what a killed process has written.
func TestDeletedJobLeavesNoResult(t *testing.T) {
	bubble(t, jobs.Limits{}, func(t *testing.T, o *office) {
		o.registers.fresh[9900000010] = true
		j := o.create(t, "9900000010")
		o.run(t)
		o.await(t, j.ID)
		slow := &slowStore{o.store, j.ID, make(chan struct{}), make(chan struct{})}
		o.Results.Store = slow
		done := make(chan error)
		go func() {
			_, err := o.JobResult(t.Context(), "acc", j.ID, resultOrder(job.CSV))
			done <- err
		}()
		<-slow.reading
		testkit.NoError(t, o.DeleteJob(t.Context(), "acc", j.ID))
		if left, err := os.ReadDir(o.Results.Dir); err != nil || len(left) > 0 {
			t.Errorf("%v are left, %v", left, err)
		}

		close(slow.read)
		if err := <-done; !errors.Is(err, op.ErrUnknown) {
			t.Errorf("got %v", err)
		}
		if left, err := os.ReadDir(o.Results.Dir); err != nil || len(left) > 0 {
			t.Errorf("%v are left, %v", left, err)
		}
	})
}

// A deleted job makes room for another, and its result is gone. If it runs, it stops.
func TestDeletedJob(t *testing.T) {
	bubble(t, jobs.Limits{Kept: 1}, func(t *testing.T, o *office) {
		j := o.create(t, numbers(2000)...)
		o.run(t)
		<-time.After(10 * time.Second)
		if _, err := o.CreateJob(t.Context(), caller, order("9900000010")); err == nil {
			t.Error("a second job was created")
		}
		if err := o.DeleteJob(t.Context(), "other", j.ID); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("another account deletes it: %v", err)
		}
		testkit.NoError(t, o.DeleteJob(t.Context(), "acc", j.ID))
		if _, err := o.Job(t.Context(), "acc", j.ID); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("got %v", err)
		}

		again := o.create(t, "9900000010")
		o.await(t, again.ID)
		path := o.result(t, again.ID, job.CSV).Name()
		testkit.NoError(t, o.DeleteJob(t.Context(), "acc", again.ID))
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the file stays: %v", err)
		}

		<-time.After(time.Minute)
		synctest.Wait()
		o.halt()
		if log := o.log.String(); log != "" || o.purse.held != 0 {
			t.Errorf("%d holds are left, logged %q", o.purse.held, log)
		}
	})
}

// The name of a list is that of its results.
func TestNameOfAList(t *testing.T) {
	bubble(t, jobs.Limits{}, func(t *testing.T, o *office) {
		upload := order("9900000010")
		upload.Name = "Furnizori Iași.xlsx"
		j, err := o.CreateJob(t.Context(), caller, upload)
		if err != nil || j.Name == nil || *j.Name != "Furnizori Iași.xlsx" {
			t.Fatal(j, err)
		}

		o.run(t)
		o.await(t, j.ID)
		doc, err := o.JobResult(t.Context(), "acc", j.ID, resultOrder(job.CSV))
		if err != nil || doc.File.Disposition[0] != `attachment; filename="furnizori-iasi-rodata.csv"` {
			t.Errorf("got %q, %v", doc.File.Disposition, err)
		}
	})
}

// A company that the tax authority's answer leaves out has the trade register's data at once, as in a single look-up.
func TestOmittedCompanyIsNotRetried(t *testing.T) {
	bubble(t, jobs.Limits{}, func(t *testing.T, o *office) {
		o.registers.omitted[9900000010] = true
		job := o.create(t, append(numbers(3), "9900000010")...)
		o.run(t)
		if job := o.await(t, job.ID); job.Found != 4 || job.CompletedAt.Sub(job.CreatedAt) > 30*time.Second {
			t.Errorf("ended as %+v", job)
		}
	})
}

// A register that does not answer is tried again, as the profile is. The cells say what is unknown until it answers.
func TestUnknownRegister(t *testing.T) {
	bubble(t, jobs.Limits{}, func(t *testing.T, o *office) {
		o.registers.silent = true
		upload := order("9900000010")
		upload.Fields = []company.Field{"name", "registers.farmers.registered"}
		j := testkit.Must(o.CreateJob(t.Context(), caller, upload))
		o.run(t)
		<-time.After(30 * time.Second)
		if now, err := o.Job(t.Context(), "acc", j.ID); err != nil || now.Retrying != 1 || now.Found != 0 ||
			now.CreditsCost != 0 {
			t.Errorf("after 30 seconds %+v, %v", now, err)
		}

		partial := resultOrder(job.CSV)
		partial.Partial = true
		doc := testkit.Must(o.JobResult(t.Context(), "acc", j.ID, partial))
		if row := readCSV(t, doc.File.Path)[0]; row[2] != "200" || row[6] != "unknown" ||
			row[3] != "unknown, because the register did not answer: registers.farmers" {
			t.Errorf("got %q", row)
		}

		o.registers.set(func() { o.registers.silent = false })
		if job := o.await(t, j.ID); job.Found != 1 || job.CreditsCost != 1 {
			t.Errorf("ended as %+v", job)
		}
		if row := o.rows(t, j.ID)[0]; row[2] != "200" || row[3] != "" || row[6] != "" {
			t.Errorf("got %q", row)
		}
	})
}

// Rows without a tax id are counted apart from wrong ones.
func TestBlankRows(t *testing.T) {
	bubble(t, jobs.Limits{}, func(t *testing.T, o *office) {
		job := o.create(t, "9900000010,a", ",b", " ,c", "123,d")
		o.run(t)
		if job := o.await(t, job.ID); job.Found != 1 || job.Blank != 2 || job.Invalid != 1 || job.Done != 4 {
			t.Errorf("ended as %+v", job)
		}
	})
}

// A result in CSV has the delimiter of the file, and the numbers as they were. It can be uploaded again: the file's own
// column of tax ids stays.
func TestDelimiterOfTheFile(t *testing.T) {
	bubble(t, jobs.Limits{}, func(t *testing.T, o *office) {
		upload := order()
		upload.File, upload.Fields = file("cui;Sold\n9900000010;-12,50\n"), []company.Field{"taxId", "name"}
		for range 2 {
			j := testkit.Must(o.CreateJob(t.Context(), caller, upload))
			if j.Column != "cui" {
				t.Errorf("the column is %s", j.Column)
			}
			if o.stop == nil {
				o.run(t)
			}

			o.await(t, j.ID)
			text, err := os.ReadFile(o.result(t, j.ID, job.CSV).Name())
			want := "\ufeffcui;Sold;status;problem;asOf;taxId;name"
			if err != nil || !strings.HasPrefix(string(text), want) ||
				!strings.Contains(string(text), "\r\n9900000010;-12,50;200;") {
				t.Errorf("got %q, %v", text, err)
			}

			upload.File = file(string(text))
		}
	})
}

// Numbers, dates and flags of a workbook have their types in the result, also in a column with several types.
func TestTypesOfAWorkbook(t *testing.T) {
	o := open(t, jobs.Limits{}) // the library for Parquet shares state between bubbles
	var book bytes.Buffer
	w := table.NewXLSX(&book, []table.Column{{Name: "CUI"}, {Name: "Sold", Kind: table.Number},
		{Name: "Scadent", Kind: table.Date}, {Name: "Activ", Kind: table.Flag}, {Name: "Note"}}, table.Info{})
	mixed := []table.Kind{table.Number, table.Number, table.Date, table.Flag, table.Date}
	timed := []table.Kind{table.Number, table.Number, table.Date, table.Flag, table.Time}
	err := errors.Join(w.Write([]string{"9900000010", "1013.5", "2026-03-01", "true", "007"}),
		w.Write([]string{"9900000010", "", "2026-03-01", "false", "2026-03-02"}, mixed...),
		w.Write([]string{"9900000010", "", "2026-03-01", "false", "2026-03-02 14:30:00"}, timed...), w.Close())
	testkit.NoError(t, err)

	upload := order()
	upload.File, upload.Media = file(book.String()), op.XLSXType
	j := testkit.Must(o.CreateJob(t.Context(), caller, upload))
	o.run(t)
	testkit.Must(o.AwaitJob(t.Context(), "acc", j.ID, time.Minute))

	read := testkit.Must(excelize.OpenFile(o.result(t, j.ID, job.XLSX).Name()))
	defer read.Close()

	for cell, want := range map[string]excelize.CellType{"A2": excelize.CellTypeInlineString,
		"B2": excelize.CellTypeUnset, "C2": excelize.CellTypeUnset, "D2": excelize.CellTypeBool,
		"E2": excelize.CellTypeInlineString, "A3": excelize.CellTypeUnset, "E3": excelize.CellTypeUnset,
		"E4": excelize.CellTypeUnset} {
		if got, err := read.GetCellType("data", cell); err != nil || got != want {
			t.Errorf("%s has the type %d, want %d, %v", cell, got, want, err)
		}
	}
	for cell, want := range map[string]string{"C2": "2026-03-01", "E2": "007", "E3": "2026-03-02",
		"E4": "2026-03-02 14:30:00"} {
		if got, err := read.GetCellValue("data", cell); err != nil || got != want {
			t.Errorf("%s is %s, %v, want %s", cell, got, err, want)
		}
	}

	o.result(t, j.ID, job.Parquet)
	o.inputs(t, j.ID, `{"CUI":"9900000010","Sold":1013.5,"Scadent":"2026-03-01","Activ":true,"Note":"007"}`,
		`{"CUI":9900000010,"Sold":null,"Scadent":"2026-03-01","Activ":false,"Note":"2026-03-02"}`,
		`{"CUI":9900000010,"Sold":null,"Scadent":"2026-03-01","Activ":false,"Note":"2026-03-02 14:30:00"}`)
}

// Values of JSON come back as they were sent. In a workbook, numbers are numbers, as far as they are exact there.
func TestValuesOfJSON(t *testing.T) {
	o := open(t, jobs.Limits{}) // the library for Parquet shares state between bubbles
	lines := []string{
		`{"cui":9900000010,"a":12.50,"b":"007","c":{"d":[1,null]},"e":true,"f":null,"g":12345678901234567890}`,
		`{"cui":"9900000010","a":-3,"b":"","c":null,"e":false,"f":"x","g":1,"h":""}`,
	}
	upload := order()
	upload.File, upload.Media = file(strings.Join(lines, "\n")), op.NDJSONType
	j := testkit.Must(o.CreateJob(t.Context(), caller, upload))
	o.run(t)
	testkit.Must(o.AwaitJob(t.Context(), "acc", j.ID, time.Minute))

	o.inputs(t, j.ID, strings.TrimSuffix(lines[0], "}")+`,"h":null}`, lines[1])
	read := testkit.Must(excelize.OpenFile(o.result(t, j.ID, job.XLSX).Name()))
	defer read.Close()

	for cell, want := range map[string]excelize.CellType{"A2": excelize.CellTypeUnset,
		"A3": excelize.CellTypeInlineString, "B2": excelize.CellTypeUnset, "C2": excelize.CellTypeInlineString,
		"E2": excelize.CellTypeBool, "G2": excelize.CellTypeInlineString} {
		if got, err := read.GetCellType("data", cell); err != nil || got != want {
			t.Errorf("%s has the type %d, want %d, %v", cell, got, want, err)
		}
	}

	o.result(t, j.ID, job.Parquet)
}

// inputs verifies the rows of the file in the result of a job.
func (o *office) inputs(t *testing.T, id job.ID, want ...string) {
	t.Helper()
	lines := bufio.NewScanner(o.result(t, id, job.NDJSON))
	for _, want := range want {
		var line struct{ Input json.RawMessage }
		if lines.Scan(); json.Unmarshal(lines.Bytes(), &line) != nil || string(line.Input) != want {
			t.Errorf("got %s, want %s", lines.Text(), want)
		}
	}
}
