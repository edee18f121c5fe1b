package database

import (
	"errors"
	"io"
	"net"
	"os"
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
			if _, err := conn.Write([]byte("a question")); err != nil {
				t.Fatal(err)
			}

			_, err := conn.Read(make([]byte, 1))
			if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took != silenceTimeout {
				t.Errorf("got %v after %v", err, took)
			}
		}
	})
}

func TestPostgresSettings(t *testing.T) {
	config, err := PostgresConfig("postgres://rodata@db.example/conturi?sslmode=verify-full&statement_timeout=1000")
	testkit.NoError(t, err)
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
