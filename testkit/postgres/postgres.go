// Package postgres gives tests a PostgreSQL database.
package postgres

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver

	"github.com/rodata/rodata/testkit"
)

// Variable is the environment variable with the tests' server: the URL of a database whose user may create databases.
const Variable = "RODATA_TEST_POSTGRES"

// empty is the server's own template.
const empty = "template1"

// server returns the pool of connections to the server. It stays open until the process ends, because connecting takes
// as long as creating a database.
var server = sync.OnceValues(func() (*sql.DB, error) { return sql.Open("pgx", os.Getenv(Variable)) })

// URL returns the URL of an empty database, which is dropped after the test. The test is skipped if there is no server.
func URL(t testing.TB) string {
	t.Helper()
	return Copy(t, func() (string, error) { return empty, nil })
}

// Copy returns the URL of a copy of a template, which is dropped after the test. The test is skipped if there is no
// server.
func Copy(t testing.TB, template func() (string, error)) string {
	t.Helper()
	if os.Getenv(Variable) == "" {
		t.Skip("no PostgreSQL server: " + Variable + " names one, .ci/postgres starts one")
	}

	ctx := context.WithoutCancel(t.Context()) // which has ended in a cleanup
	source, err := template()
	testkit.NoError(t, err)

	database := "test_" + strings.ToLower(rand.Text())
	testkit.NoError(t, create(ctx, database, source))

	t.Cleanup(func() {
		if err := execute(ctx, `DROP DATABASE `+database+` WITH (FORCE)`); err != nil {
			t.Error(err)
		}
	})
	return address(database)
}

// templatePrefix begins the names of templates. The time of creation follows, in Unix seconds.
const templatePrefix = "test_template_"

// Template fills a new database and returns its name for [Copy]. A process cannot drop its template, because it does
// not know its last test. So the next process that needs one drops all templates that are older than an hour.
func Template(ctx context.Context, fill func(url string) error) (string, error) {
	if err := dropTemplates(ctx, time.Now().Add(-time.Hour)); err != nil {
		return "", err
	}

	database := fmt.Sprintf("%s%d_%s", templatePrefix, time.Now().Unix(), strings.ToLower(rand.Text()))
	if err := create(ctx, database, empty); err != nil {
		return "", err
	}
	return database, fill(address(database))
}

func dropTemplates(ctx context.Context, before time.Time) error {
	db, err := server()
	if err != nil {
		return err
	}

	var old []string
	const query = `SELECT coalesce(array_agg(datname::text), '{}') FROM pg_database WHERE datname > $1 AND datname < $2`
	if err := db.QueryRowContext(ctx, query, templatePrefix, fmt.Sprint(templatePrefix, before.Unix())).
		Scan(pgtype.NewMap().SQLScanner(&old)); err != nil {
		return err
	}

	for _, database := range old {
		if err := execute(ctx, `DROP DATABASE IF EXISTS `+database+` WITH (FORCE)`); err != nil {
			return err
		}
	}

	return nil
}

func create(ctx context.Context, database, template string) error {
	return execute(ctx, `CREATE DATABASE `+database+` TEMPLATE `+template)
}

func address(database string) string {
	u, err := url.Parse(os.Getenv(Variable))
	if err != nil {
		panic(err) // the server has just used it
	}

	u.Path = "/" + database
	return u.String()
}

func execute(ctx context.Context, statement string) error {
	db, err := server()
	if err == nil {
		_, err = db.ExecContext(ctx, statement)
	}
	return err
}
