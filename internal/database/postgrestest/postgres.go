// Package postgrestest gives tests a PostgreSQL database.
package postgrestest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Variable is the environment variable with the tests' server: the URL of a database in which they may create schemas.
const Variable = "RODATA_TEST_POSTGRES"

// URL returns the URL of an empty schema, which is dropped after the test. The test is skipped if there is no server.
func URL(t testing.TB) string {
	t.Helper()
	address := os.Getenv(Variable)
	if address == "" {
		t.Skip("no PostgreSQL server: " + Variable + " names one, .ci/postgres starts one")
	}

	schema := "test_" + strings.ToLower(rand.Text())
	run(t, address, `CREATE SCHEMA `+schema)
	t.Cleanup(func() { run(t, address, `SET client_min_messages = warning; DROP SCHEMA `+schema+` CASCADE`) })
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}

	query := u.Query()
	query.Set("search_path", schema)
	u.RawQuery = query.Encode()
	return u.String()
}

func run(t testing.TB, address, statement string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // which has ended in a cleanup
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)

	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatal(err)
	}
}
