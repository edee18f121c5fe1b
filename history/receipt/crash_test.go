package receipt_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/history/receipt"
	"github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/database/postgrestest"
)

// A returned receipt survives a kill at any moment.
func TestCrash(t *testing.T) {
	if place := os.Getenv("RODATA_TEST_CRASH"); place != "" {
		issueUntilKilled(t, place)
		return
	}
	for name, place := range map[string]func(t *testing.T) string{
		"SQLite":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "history.db") },
		"PostgreSQL": func(t *testing.T) string { return postgrestest.URL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			at := place(t)
			told := append(crash(t, at), crash(t, at)...)
			i := open(t, openPlace(t, at), &clock{start})
			keys := jwks(t, i)
			for _, id := range told {
				r, err := i.Receipt(t.Context(), api.ReceiptID(id))
				if err != nil {
					t.Fatalf("%s of %d receipts is lost: %v", id, len(told), err)
				}
				if _, _, valid := verify([]byte(r.Value.JWT), keys); !valid {
					t.Fatalf("%s is not valid", id)
				}
			}
		})
	}
}

// openPlace opens a file or the database of a URL.
func openPlace(t *testing.T, place string) receipt.Store {
	t.Helper()
	openAt := store.OpenPostgres
	if filepath.IsAbs(place) {
		openAt = store.OpenSQLite
	}
	db, err := openAt(t.Context(), place)
	closing(t, db, err)
	return db
}

// crash kills a process that issues receipts after it has returned a hundred, and returns their ids.
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
		var id string
		if _, err := fmt.Sscanf(lines.Text(), "issued %s", &id); err != nil {
			continue
		}
		if told = append(told, id); len(told) == 100 {
			if err := process.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := process.Wait(); err == nil || len(told) < 100 {
		t.Fatalf("the process ended by itself after %d receipts: %v", len(told), err)
	}
	return told
}

func issueUntilKilled(t *testing.T, place string) {
	i := open(t, openPlace(t, place), &clock{start})
	s := statement()
	for s.Date = api.NewDate(2000, 1, os.Getpid()); ; s.Date++ {
		r, err := i.Issue(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("issued", r.ID)
	}
}
