package store

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/database/postgrestest"
)

// crashes is the number of times that the process is killed.
var crashes = 2

func init() {
	if os.Getenv("RODATA_TEST_LONG") != "" {
		crashes = 5
	}
}

const (
	writers = 8
	before  = 200 // accounts created before each crash
)

// Acknowledged writes survive a kill at any moment.
func TestCrash(t *testing.T) {
	if path := os.Getenv("RODATA_TEST_CRASH"); path != "" {
		writeUntilKilled(t, openPlace(t, path))
		return
	}
	for name, place := range map[string]func(t *testing.T) string{
		"SQLite":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "accounts.db") },
		"PostgreSQL": func(t *testing.T) string { return postgrestest.URL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			at := place(t)
			var told []string
			for range crashes {
				told = append(told, crash(t, at)...)
			}
			db := openPlace(t, at)
			for _, id := range told {
				if _, err := db.Account(t.Context(), id); err != nil {
					t.Fatalf("%s of %d accounts is lost: %v", id, len(told), err)
				}
			}
			if db.Path != "" {
				checkIntegrity(t, db)
			}
		})
	}
}

// openPlace opens a file or the database of a URL.
func openPlace(t *testing.T, place string) *DB {
	t.Helper()
	if filepath.IsAbs(place) {
		return open(t, place)
	}
	return openURL(t, place)
}

// crash kills a writing process, and returns the writes that it acknowledged.
func crash(t *testing.T, place string) (told []string) {
	t.Helper()
	process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCrash$")
	process.Env = append(os.Environ(), "RODATA_TEST_CRASH="+place)
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(output); lines.Scan(); {
		if told = append(told, lines.Text()); len(told) == before {
			process.Process.Kill() // the pipe still holds the acknowledgements since
		}
	}
	process.Wait() // reports that it was killed
	if len(told) < before {
		t.Fatalf("it ended by itself, after %d accounts: %q", len(told), told)
	}
	// The last line may have been cut short by the kill.
	if last := told[len(told)-1]; len(last) != len(told[0]) {
		told = told[:len(told)-1]
	}
	return told
}

func writeUntilKilled(t *testing.T, db *DB) {
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for {
				id := account.NewID()
				if err := db.CreateAccount(t.Context(), account.Account{ID: id, Plan: "free"}); err != nil {
					t.Error(err)
					return
				}
				fmt.Println(id)
			}
		})
	}
	wg.Wait()
}
