package store

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/job"
	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/jobs"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/databases"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// forStores runs a test for every kind of database, with a function that opens the same one each time.
func forStores(t *testing.T, test func(t *testing.T, open func() *DB)) {
	databases.Places(t, "jobs.db", func(t *testing.T, place string) {
		test(t, func() *DB { return openPlace(t, place) })
	})
}

// openPlace opens a place for the duration of the test.
func openPlace(t *testing.T, place string) *DB {
	t.Helper()
	if databases.IsFile(place) {
		return databases.Open(t, place, Open)
	}

	return testkit.Must(OpenIn(t.Context(), databases.Open(t, place, historystore.Open).DB))
}

// roomy are limits that no test reaches.
var roomy = jobs.Limits{Unfinished: 10, Kept: 10, Storage: 1 << 20}

// create creates a job with a number of chunks of two rows each.
func create(t *testing.T, db *DB, id job.ID, chunks int) *jobs.Job {
	t.Helper()
	job := &jobs.Job{ID: id, Account: "acc", Status: job.Queued, Total: 2 * chunks, Distinct: 2 * chunks,
		CreatedAt: noon,
		Order:     jobs.Order{Columns: []string{"cui"}, Date: -1, Fields: []company.Field{"name"}, Key: "key"}}
	var all []jobs.Chunk
	for i := range chunks {
		all = append(all, jobs.Chunk{Number: i, Rows: 2, Firsts: 2, Input: []byte{byte(i)}})
	}
	testkit.Must(db.Create(t.Context(), job, chunksOf(all...), "", "", roomy))

	return job
}

func chunksOf(all ...jobs.Chunk) jobs.Chunks {
	return func(yield func(*jobs.Chunk, error) bool) {
		for i := range all {
			if !yield(&all[i], nil) {
				return
			}
		}
	}
}

func next(t *testing.T, db *DB, id job.ID, now time.Time) (*jobs.Chunk, time.Time) {
	t.Helper()
	c, due, err := db.Next(t.Context(), id, now)
	testkit.NoError(t, err)

	return c, due
}

var (
	found  = jobs.Outcome{Status: 200, Paid: true, Pass: 1}
	failed = jobs.Outcome{Status: 502, Pass: 1}
	judged = jobs.Outcome{Status: 200, Paid: true, Pass: 1,
		Profile: json.RawMessage(`{"taxId":9900000010,"verdict":{"outcome":"stop","failed":["not_inactive"]}}`)}
)

// A chunk is looked up, priced and settled. Failed rows are retried when they are due, and count as done only at the
// end.
func TestLifeOfAJob(t *testing.T) {
	forStores(t, func(t *testing.T, open func() *DB) {
		db, ctx := open(), t.Context()
		queued := create(t, db, "a", 2)
		wantCounts := func(when string, want jobs.Counts) {
			t.Helper()
			if got, err := db.Job(ctx, "acc", "a"); err != nil || got.Counts != want {
				t.Errorf("%s: %+v, %v, want %+v", when, got.Counts, err, want)
			}
		}
		settle := func(c *jobs.Chunk, price int, state jobs.ChunkState, due time.Time, outcomes ...jobs.Outcome) {
			t.Helper()
			c.Price = price
			err := db.Price(ctx, "a", c, outcomes, noon)
			if err == nil {
				err = db.Settle(ctx, "a", c, state, due, noon)
			}
			testkit.NoError(t, err)
		}

		first, _ := next(t, db, "a", noon)
		settle(first, 1, jobs.Retrying, noon.Add(time.Minute), found, failed)
		wantCounts("after the first", jobs.Counts{Done: 1, Found: 1, Retrying: 1, Asked: 1, Cost: 1})
		second, _ := next(t, db, "a", noon)
		if second.Number != 1 {
			t.Errorf("the second chunk has the number %d", second.Number)
		}

		settle(second, 2, jobs.Settled, time.Time{}, found, judged)
		stop := jobs.Verdicts{VerdictStop: 1}
		wantCounts("after the second", jobs.Counts{Done: 3, Found: 3, Verdicts: stop, Retrying: 1, Asked: 3, Cost: 3})

		if c, due := next(t, db, "a", noon); c != nil || !due.Equal(noon.Add(time.Minute)) {
			t.Errorf("before it is due: %v, %v", c, due)
		}
		if j, err := db.Job(ctx, "acc", "a"); err != nil || !j.RetryAt.Equal(noon.Add(time.Minute)) ||
			!j.RetryUntil.Equal(j.RetryAt) {
			t.Errorf("the retry is at %v, until %v, %v", j.RetryAt, j.RetryUntil, err)
		}

		again, _ := next(t, db, "a", noon.Add(time.Minute))
		if again.Number != 0 || again.Pass != 1 || again.State != jobs.Retrying {
			t.Errorf("when it is due: %+v", again)
		}

		settle(again, 0, jobs.Settled, time.Time{}, found, failed)
		wantCounts("at the end", jobs.Counts{Done: 4, Found: 3, Verdicts: stop, Failed: 1, Asked: 4, Cost: 3})
		if c, due := next(t, db, "a", noon); c != nil || !due.IsZero() {
			t.Errorf("at the end: %v, %v", c, due)
		}

		testkit.NoError(t, db.End(ctx, "a", job.Failed, &jobs.Problem{Kind: "internal", Detail: "x"}, noon))
		if err := db.End(ctx, "a", job.Cancelled, nil, noon); !errors.Is(err, jobs.ErrConflict) {
			t.Errorf("ended twice: %v", err)
		}

		got, err := db.Job(ctx, "acc", "a")
		if err != nil || got.Status != job.Failed || got.Problem.Detail != "x" || !got.StartedAt.Equal(noon) ||
			!slices.Equal(got.Order.Columns, queued.Order.Columns) {
			t.Errorf("read %+v, %v", got, err)
		}
	})
}

// If two processes work on the same rows, only one stores them. A cancelled job is not changed any more.
func TestRowsAreWrittenOnce(t *testing.T) {
	forStores(t, func(t *testing.T, open func() *DB) {
		db, ctx := open(), t.Context()
		create(t, db, "a", 2)
		one, _ := next(t, db, "a", noon)
		other, _ := next(t, db, "a", noon)
		testkit.NoError(t, db.Price(ctx, "a", one, []jobs.Outcome{found, found}, noon))
		if err := db.Price(ctx, "a", other, []jobs.Outcome{found, found}, noon); !errors.Is(err, jobs.ErrConflict) {
			t.Errorf("priced twice: %v", err)
		}
		if c, _ := next(t, db, "a", noon); c.Number != 0 || c.State != jobs.Priced {
			t.Errorf("the chunk being charged is not the next one: %+v", c)
		}
		testkit.NoError(t, db.Settle(ctx, "a", one, jobs.Settled, time.Time{}, noon))
		if err := db.Settle(ctx, "a", one, jobs.Settled, time.Time{}, noon); !errors.Is(err, jobs.ErrConflict) {
			t.Errorf("settled twice: %v", err)
		}

		two, _ := next(t, db, "a", noon)
		testkit.NoError(t, db.End(ctx, "a", job.Cancelled, nil, noon))
		if err := db.Price(ctx, "a", two, []jobs.Outcome{found, found}, noon); !errors.Is(err, jobs.ErrConflict) {
			t.Errorf("priced after the cancellation: %v", err)
		}
	})
}

func TestJobsOfAccounts(t *testing.T) {
	forStores(t, func(t *testing.T, open func() *DB) {
		db, ctx := open(), t.Context()
		create(t, db, "a", 1)
		create(t, db, "b", 1)
		all, err := db.Jobs(ctx, "acc", 10, 0)
		if err != nil || len(all) != 2 || all[0].ID != "b" {
			t.Errorf("%v, %v", all, err)
		}
		if _, err := db.Job(ctx, "other", "a"); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("another account's job: %v", err)
		}
		testkit.NoError(t, db.End(ctx, "a", job.Completed, nil, noon))
		if unfinished, err := db.Unfinished(ctx); err != nil || len(unfinished) != 1 || unfinished[0].ID != "b" {
			t.Errorf("the unfinished jobs are %v, %v", unfinished, err)
		}
		if accounts, err := db.Accounts(ctx); err != nil || !slices.Equal(accounts, []string{"acc"}) {
			t.Errorf("%q, %v", accounts, err)
		}

		if ids, err := db.Expire(ctx, noon.Add(jobs.KeptFor)); err != nil || !slices.Equal(ids, []job.ID{"a"}) {
			t.Errorf("the expired jobs are %v, %v", ids, err)
		}
		if c, err := db.Chunk(ctx, "a", 0); err != nil || c != nil {
			t.Errorf("the rows of an expired job are left: %v, %v", c, err)
		}
		if ids, err := db.DeleteCreated(ctx, "acc", noon.Add(-time.Hour)); err != nil || len(ids) != 0 {
			t.Errorf("later jobs are deleted: %v, %v", ids, err)
		}
		if ids, err := db.DeleteCreated(ctx, "acc", noon); err != nil || !slices.Equal(ids, []job.ID{"b"}) {
			t.Errorf("the deleted jobs are %v, %v", ids, err)
		}
	})
}

// The jobs of an account are bounded in number and in bytes, and a deleted one makes room. A list of jobs comes in
// pages, without the documents.
func TestRoomForJobs(t *testing.T) {
	forStores(t, func(t *testing.T, open func() *DB) {
		db, ctx := open(), t.Context()
		add := func(id job.ID, input int, limits jobs.Limits) error {
			job := &jobs.Job{ID: id, Account: "acc", Status: job.Queued, Total: 1, CreatedAt: noon, Bytes: int64(input),
				Heading: jobs.Heading{Name: "furnizori.csv", Column: "cui"},
				Order:   jobs.Order{Columns: []string{"cui"}}}
			_, err := db.Create(ctx, job, chunksOf(jobs.Chunk{Rows: 1, Input: make([]byte, input)}), "", "", limits)
			return err
		}
		refused := func(err error, detail string) {
			t.Helper()
			if !regexp.MustCompile(detail).MatchString(fmt.Sprint(err)) {
				t.Errorf("got %v", err)
			}
		}
		small := jobs.Limits{Unfinished: 10, Kept: 3, Storage: 10_000}
		for id, size := range map[job.ID]int{"a": 5_000, "b": 2_000} {
			testkit.NoError(t, add(id, size, small))
		}

		refused(add("c", 4_000, small), `store 7\d\d\d of 10000 bytes.*; a stores most`)

		// Outcomes count, too.
		c, _ := next(t, db, "b", noon)
		outcome := found
		outcome.Problem = &jobs.Problem{Detail: rand.Text() + rand.Text() + rand.Text() + rand.Text()}
		testkit.NoError(t, db.Price(ctx, "b", c, []jobs.Outcome{outcome}, noon))
		if b, err := db.Job(ctx, "acc", "b"); err != nil || b.Bytes < 2_000+int64(len(c.Outcomes)) ||
			b.Bytes > 2_200+int64(len(c.Outcomes)) {
			t.Errorf("%d bytes, %v", b.Bytes, err)
		}

		testkit.NoError(t, add("c", 10, small))
		refused(add("d", 10, small), "has 3 jobs, the maximum")
		if err := db.Delete(ctx, "other", "a"); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("another account deletes it: %v", err)
		}
		testkit.NoError(t, db.Delete(ctx, "acc", "a"))
		if err := add("d", 4_000, small); err != nil {
			t.Errorf("after the deletion: %v", err)
		}

		page, err := db.Jobs(ctx, "acc", 1, 1)
		if err != nil || len(page) != 1 || page[0].ID != "c" || page[0].Heading.Name != "furnizori.csv" ||
			page[0].Order.Columns != nil {
			t.Errorf("the second page is %+v, %v", page, err)
		}
	})
}

// Jobs of an earlier version keep the name of their column, and their size counts.
func TestJobsOfAnEarlierVersion(t *testing.T) {
	databases.Places(t, "jobs.db", func(t *testing.T, place string) {
		db := openPlace(t, place)
		create(t, db, "a", 2)
		undone := []string{
			`UPDATE jobs SET document = '{"columns":["Nume","C.U.I."],"id":1,"date":-1,"fields":["name"]}'`,
			`ALTER TABLE jobs DROP COLUMN heading`, `ALTER TABLE jobs DROP COLUMN bytes`,
			`ALTER TABLE jobs DROP COLUMN blank`, `ALTER TABLE jobs DROP COLUMN retrying`,
			`ALTER TABLE jobs DROP COLUMN retry_at`, `ALTER TABLE jobs DROP COLUMN retry_until`,
			`ALTER TABLE job_chunks DROP COLUMN blank`,
			`DELETE FROM ` + schema.Table + ` WHERE version_id > 1`,
		}
		for _, outcome := range []string{"stop", "incomplete", "attention", "clear"} {
			undone = append(undone, `ALTER TABLE jobs DROP COLUMN verdict_`+outcome,
				`ALTER TABLE job_chunks DROP COLUMN verdict_`+outcome)
		}
		for _, undo := range undone {
			if err := database.Exec(t.Context(), db.Writer, undo); err != nil {
				t.Fatal(undo, err)
			}
		}
		testkit.NoError(t, db.Close())

		all, err := openPlace(t, place).Jobs(t.Context(), "acc", 10, 0)
		if err != nil || len(all) != 1 || all[0].Heading.Column != "C.U.I." || all[0].Bytes != 66 {
			t.Errorf("got %+v, %v", all, err)
		}
	})
}
