package blackbox

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/testkit"
)

// smallDisk is a file system of a size in the format of the mount command.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("mounting a small file system requires root: %v", err)
	}

	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill uses up all remaining space, until the returned function is called.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	file, err := os.Create(path)
	testkit.NoError(t, err)
	defer file.Close()

	for block := make([]byte, 4096); err == nil; {
		_, err = file.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}

	return func() {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}

const (
	diskErrors  = `rodata_cache_disk_errors_total`
	notObserved = `rodata_history_failures_total`
)

// A full disk affects only restarts. Companies and rates are still fetched, kept in memory and answered, and they are
// written once there is space again: in this test when the gateway stops, otherwise within a minute, which a test of
// package cache verifies. The gateway counts the observations that it cannot store.
func TestFullDisk(t *testing.T) {
	dir := smallDisk(t, "2m")
	g := start(t, func(g *gateway) {
		g.app()["data_dir"] = dir
		g.upstream("bnr")["fill_every"] = "1h"
	})
	paths := companies(t)
	const year2026, year2019 = "/v1/fx-rates?date=2026-06-10", "/v1/fx-rates?date=2019-06-12"
	g.get(t, paths[0])
	g.get(t, year2026)
	free := fill(t, dir)

	everything := append([]string{year2026, year2019}, paths[:20]...)
	for _, path := range everything {
		if got := g.get(t, path); got.StatusCode != http.StatusOK {
			t.Errorf("%s: got %d %s", path, got.StatusCode, got.body)
		}
	}

	asked := g.registries.ANAF.Requests().Requests
	testkit.Until(t, "errors of the disk are counted", func() bool {
		return g.metric(t, diskErrors) > 0 && g.metric(t, notObserved) > 0
	})
	for _, path := range everything {
		if got := g.get(t, path); got.StatusCode != http.StatusOK || got.Header.Get("x-cache") != "HIT" {
			t.Errorf("%s once more: got %d %v %s", path, got.StatusCode, got.Header, got.body)
		}
	}

	if n := g.registries.ANAF.Requests().Requests; n != asked {
		t.Errorf("the registry was asked again, %d times", n-asked)
	}

	free()
	failed := g.metric(t, notObserved)
	for _, path := range paths[22:25] {
		g.get(t, path)
	}
	if n := g.metric(t, notObserved); n != failed {
		t.Errorf("with space again, observations of %v answers are lost", n-failed)
	}

	if err := caddy.Stop(); err != nil { // the waiting entries are written now
		t.Fatal(err)
	}

	g.registries.ANAF.SetDown(true)
	g.registries.BNR.SetDown(true)
	testkit.NoError(t, g.load())

	for _, path := range everything {
		if got := g.get(t, path); got.StatusCode != http.StatusOK || got.Header.Get("x-cache") != "HIT" {
			t.Errorf("%s after a restart: got %d %v %s", path, got.StatusCode, got.Header, got.body)
		}
	}
}

// An unwritable data directory is rejected by name at the start.
func TestReadOnlyDisk(t *testing.T) {
	dir := smallDisk(t, "1m")
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("making a file system read-only is not allowed here: %v", err)
	}

	g := start(t)
	g.app()["data_dir"] = filepath.Join(dir, "data")
	if err := g.load(); err == nil || !strings.Contains(err.Error(), "read-only") ||
		!strings.Contains(err.Error(), dir) {
		t.Errorf("got %v, want the directory and that it is read-only", err)
	}
	if got := g.get(t, "/v1/plans"); got.StatusCode != http.StatusOK {
		t.Errorf("the configuration before answers %d", got.StatusCode)
	}
}
