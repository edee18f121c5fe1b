package database

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
)

// A network that drops all packets does not block a caller forever.
func TestSilentServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		go io.Copy(io.Discard, theirs)
		conn := timeoutConn{ours}
		defer conn.Close()
		for range 2 {
			began := time.Now()
			testkit.NoError(t, testkit.Err(conn.Write([]byte("a question"))))

			_, err := conn.Read(make([]byte, 1))
			if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took != silenceTimeout {
				t.Errorf("got %v after %v", err, took)
			}
		}
	})
}

func TestPostgresSettings(t *testing.T) {
	config := testkit.Must(PostgresConfig("postgres://rodata@db.example/conturi?sslmode=verify-full&statement_timeout=1000"))
	if config.TLSConfig == nil || config.TLSConfig.InsecureSkipVerify || config.TLSConfig.ServerName != "db.example" ||
		len(config.Fallbacks) != 0 {
		t.Errorf("the server is not checked: %+v", config.TLSConfig)
	}

	if config.RuntimeParams["statement_timeout"] != "1000" ||
		config.RuntimeParams["idle_in_transaction_session_timeout"] != "2000" ||
		config.ConnectTimeout != ConnectTimeout {
		t.Errorf("got %v and %v", config.RuntimeParams, config.ConnectTimeout)
	}
}

func TestPostgresThatCannotBeOpened(t *testing.T) {
	const password = "parola#secreta"
	escaped := url.QueryEscape(password)
	for name, c := range map[string]struct{ url, want string }{
		"nobody listens": {"postgres://rodata:" + escaped + "@127.0.0.1:1/conturi?connect_timeout=1",
			"database conturi on 127.0.0.1:1: "},
		"another kind": {"mysql://rodata:" + password + "@127.0.0.1/conturi",
			"postgres://user:password@host:5432/database"},
		"not escaped": {"postgres://rodata:" + password + "@127.0.0.1/conturi", "%40"},
		"port in words": {"postgres://rodata:x@127.0.0.1:" + password + "/conturi",
			"postgres://user:password@host:5432/database"},
		"unknown encryption": {"postgres://rodata:" + escaped + "@127.0.0.1/conturi?sslmode=" + escaped, "libpq"},
		"no such file": {"postgres://rodata:" + escaped +
			"@127.0.0.1/conturi?sslmode=verify-full&sslrootcert=/no/such/file", "/no/such/file"},
	} {
		_, err := openSchema(t.Context(), c.url)
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), "opening the test's store") {
			t.Errorf("%s: got %v, want it to say %s", name, err, c.want)
		}

		for err := err; err != nil; err = errors.Unwrap(err) {
			if text := err.Error(); strings.Contains(text, password) || strings.Contains(text, escaped) {
				t.Errorf("%s: the error gives the password away: %s", name, text)
			}
		}
	}
}

// The server enforces the time limit of statements.
func TestSlowStatement(t *testing.T) {
	u, err := url.Parse(migrated.URL(t))
	testkit.NoError(t, err)

	query := u.Query()
	query.Set("statement_timeout", "3000") // opening the store has to fit in, on a busy machine too
	u.RawQuery = query.Encode()
	db := open(t, u.String())
	_, err = db.Reader.ExecContext(context.WithoutCancel(t.Context()), `SELECT pg_sleep(30)`)
	testkit.ErrorSays(t, err, "statement timeout")
}
