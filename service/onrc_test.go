package service

import (
	"errors"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream/onrc"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// TestStatementsOnDisk verifies that statements that are loaded while the register is open are served.
func TestStatementsOnDisk(t *testing.T) {
	r := &tradeRegister{dir: t.TempDir(), log: slog.New(slog.DiscardHandler)}
	if n := len(r.statements().Files()); n != 0 {
		t.Errorf("there are %d files before the first", n)
	}

	dir := onrc.StatementsDir(r.dir)
	testkit.NoError(t, os.MkdirAll(dir, 0o700))
	for year := 2024; year <= 2025; year++ {
		b, err := statements.NewBuilder(dir)
		testkit.NoError(t, err)
		testkit.NoError(t, errors.Join(b.Add(&statements.Statement{CUI: 9900000010}),
			b.Complete(statements.File{Key: statements.Key{Year: year, Family: company.SmallForm}}),
			b.Commit(), b.Close()))
		testkit.NoError(t, os.Chtimes(dir, time.Time{}, time.Date(year, 6, 18, 0, 0, 0, 0, time.UTC)))
		if filed, err := r.statements().Of(9900000010); err != nil || len(filed) != year-2023 {
			t.Errorf("after %d, there are %d statements, %v", year, len(filed), err)
		}
	}

	if opened := r.statements(); r.statements() != opened {
		t.Error("the store is opened for every call")
	}
}
