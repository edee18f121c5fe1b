package database

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/databases"
	"github.com/rodata/rodata/testkit/postgres"
)

// schema is the schema of these tests. Its migrations are in all folders.
var schema = &Schema{
	Name: "the test's store", Table: "versions", Lock: 1, Leases: "leases", Connections: 4,
	Pragmas: []string{"recursive_triggers(1)"}, Prepared: []*Statement{insertNotes},
	Migrations: fstest.MapFS{
		"migrations/0001_notes.sql": {Data: []byte(`-- +goose Up
			CREATE TABLE notes (id TEXT NOT NULL PRIMARY KEY, at BIGINT, document TEXT);`)},
		"migrations/0003_leases.sql": {Data: []byte(`-- +goose Up
			CREATE TABLE leases (name TEXT NOT NULL PRIMARY KEY, holder BIGINT NOT NULL, expires BIGINT NOT NULL);`)},
		"migrations/sqlite/0002_kind.sql":   {Data: []byte("-- +goose Up\nALTER TABLE notes ADD COLUMN kind_sqlite TEXT;")},
		"migrations/postgres/0002_kind.sql": {Data: []byte("-- +goose Up\nALTER TABLE notes ADD COLUMN kind_postgres TEXT;")},
	},
}

var insertNotes = &Statement{Text: `INSERT INTO notes (id, at) VALUES %s`, Types: make([]string, 2)}

var migrated = databases.NewTemplate(openSchema)

func openSchema(ctx context.Context, place string) (*DB, error) { return Open(ctx, place, schema) }

// open opens a place for the duration of the test.
func open(t testing.TB, place string) *DB {
	t.Helper()
	return databases.Open(t, place, openSchema)
}

// note adds a row.
func note(ctx context.Context, db *DB, id string) error {
	return Exec(ctx, db.Writer, `INSERT INTO notes (id) VALUES ($1)`, id)
}

// notes returns the ids of all rows.
func notes(t testing.TB, db *DB) []string {
	t.Helper()
	return testkit.Must(All[string](t.Context(), db.Reader, "reading notes", `SELECT id FROM notes ORDER BY id`))
}

// Data and the tables of another package survive a restart. Closing the other package's part closes nothing.
func TestReopening(t *testing.T) {
	other := *schema
	other.Name, other.Table = "another store", "other_versions"
	other.Migrations = fstest.MapFS{"migrations/0001_others.sql": {
		Data: []byte("-- +goose Up\nCREATE TABLE others (id BIGINT);")}}
	migrated.Each(t, func(t *testing.T, place string) {
		for n := range 2 {
			db := testkit.Must(Open(t.Context(), place, schema))
			added := testkit.Must(db.Add(t.Context(), &other))
			testkit.NoError(t, errors.Join(Exec(t.Context(), added.Writer, `INSERT INTO others (id) VALUES ($1)`, n),
				added.Ping(t.Context()), added.Close()))
			testkit.NoError(t, db.Transact(t.Context(), func(tx *sql.Tx) error {
				return db.Statements.Exec(t.Context(), tx, insertNotes, []any{strconv.Itoa(n), n})
			}))
			testkit.Equal(t, len(notes(t, db)), n+1, "notes")
			testkit.NoError(t, db.Close())
			testkit.ErrorSays(t, db.Ping(t.Context()), "asking the test's store", "a closed database answers")
		}
	})
}

// The lease of a killed process does not delay the next owner of a file.
func TestLeasesOfAFile(t *testing.T) {
	migrated.Each(t, func(t *testing.T, place string) {
		db := open(t, place)
		testkit.NoError(t, Exec(t.Context(), db.Writer,
			`INSERT INTO leases (name, holder, expires) VALUES ('work', 1, 2)`))
		testkit.NoError(t, db.Close())

		db = open(t, place)
		held, err := All[string](t.Context(), db.Reader, "reading leases", `SELECT name FROM leases`)
		if kept := len(held) == 1; err != nil || kept != db.IsPostgres() { // whose holder may live
			t.Errorf("the leases are %v, %v", held, err)
		}
	})
}

func TestNewerSchemaIsRefused(t *testing.T) {
	migrated.Each(t, func(t *testing.T, place string) {
		db := open(t, place)
		where := "database test_"
		if !db.IsPostgres() {
			where = place
		}
		testkit.NoError(t, Exec(t.Context(), db.Writer, `INSERT INTO versions (version_id, is_applied)
			SELECT 99, is_applied FROM versions LIMIT 1`))
		testkit.NoError(t, db.Close())

		_, err := openSchema(t.Context(), place)
		if err == nil {
			t.Fatal("the store was opened")
		}

		for _, part := range []string{"opening the test's store", where, "schema version is 99", "the newer release"} {
			testkit.Contains(t, err.Error(), part, "the error")
		}

		if _, again := openSchema(t.Context(), place); again == nil || again.Error() != err.Error() {
			t.Errorf("the refusal kept a lock: %v", again)
		}
	})
}

// The migrations of a database are in the order of their versions, whichever folder they are in.
func TestMigrationsAreInOrder(t *testing.T) {
	folders := migrationFiles{
		fstest.MapFS{"0001_first.sql": {Data: []byte("1")}, "0004_common.sql": {Data: []byte("4")}},
		fstest.MapFS{"0002_one.sql": {Data: []byte("2")}, "0003_two.sql": {Data: []byte("3")}},
	}
	names, err := fs.Glob(folders, "*.sql")
	if want := []string{"0001_first.sql", "0002_one.sql", "0003_two.sql", "0004_common.sql"}; err != nil ||
		!slices.Equal(names, want) {
		t.Errorf("got %v, %v, want %v", names, err, want)
	}

	for i, name := range names {
		testkit.Equal(t, string(testkit.Must(fs.ReadFile(folders, name))), strconv.Itoa(i+1), name)
	}

	testkit.ErrorIs(t, testkit.Err(fs.ReadFile(folders, "0005_none.sql")), fs.ErrNotExist, "a missing file")
}

// Concurrently started processes migrate the tables once.
func TestSimultaneousStarts(t *testing.T) {
	url := postgres.URL(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			db, err := openSchema(t.Context(), url)
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}

	wg.Wait()
}
