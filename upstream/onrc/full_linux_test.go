package onrc

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// TestStatementsOnFullDisk verifies that no file is refused on a full disk, that the one loaded before stays, and that
// the new one is loaded once there is space.
func TestStatementsOnFullDisk(t *testing.T) {
	f, dir := newFiles(t), t.TempDir()
	r, log := keeper(t, f, dir)
	f.publish2024("2025-06-01", generalLegend, statementBody(1))
	keepAll(t, r)

	onto := StatementsDir(dir)
	kept, err := os.ReadFile(statements.Path(onto, small2024))
	testkit.NoError(t, err)

	mount := func(size string, flags uintptr) {
		if err := syscall.Mount("tmpfs", onto, "tmpfs", flags, "size="+size); err != nil {
			t.Skipf("mounting a small file system is not allowed here, as it is to root: %v", err)
		}
	}
	mount("32k", 0)
	t.Cleanup(func() { testkit.NoError(t, syscall.Unmount(onto, 0)) })
	testkit.NoError(t, os.WriteFile(statements.Path(onto, small2024), kept, 0o600))

	var body strings.Builder
	for n := range 4000 {
		body.WriteString(strings.Replace(statementBody(2), invented.CUI(1).String(), invented.CUI(n+1).String(), 1))
	}
	f.publish2024("2025-06-02", generalLegend, body.String())
	r.waiting.checkAt = time.Time{}
	keepAll(t, r)
	unfinished, _ := filepath.Glob(filepath.Join(onto, ".*"))
	if turnovers(t, dir) != "2024-uu 1" || !strings.Contains(log.String(), syscall.ENOSPC.Error()) ||
		strings.Contains(log.String(), "refus") || len(unfinished) > 0 {
		t.Errorf("on a full disk, %q are loaded, %q are left; the log is %s", turnovers(t, dir), unfinished, log)
	}

	mount("1m", syscall.MS_REMOUNT)
	r.waiting.checkAt = time.Time{}
	if keepAll(t, r); turnovers(t, dir) != "2024-uu 2" {
		t.Errorf("with space again, %q are loaded; the log is %s", turnovers(t, dir), log)
	}
}
