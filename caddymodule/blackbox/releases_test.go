package blackbox

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/testkit"
)

// released waits until the files of a release exist, and returns the release.
func (g *gateway) released(t *testing.T) object {
	t.Helper()
	var all []any
	testkit.Until(t, "a release is available in files", func() bool {
		all = g.get(t, "/v1/releases").object(t)["releases"].([]any)
		return len(all) > 0
	})
	return all[0].(object)
}

// TestReleaseIsDownloaded verifies that a loaded release can be downloaded whole and in ranges, without a key.
func TestReleaseIsDownloaded(t *testing.T) {
	g := start(t, withTradeRegister(t))
	g.get(t, "/v1/releases/2026-01-02/companies.parquet").problem(t, http.StatusNotFound, "not-found")
	g.loaded(t)
	release := g.released(t)
	all := g.get(t, "/v1/companies?limit=1").object(t)["totalCount"]
	if release["companies"] != all || release["changesSince"] != nil {
		t.Errorf("the release is %v, of %v companies", release, all)
	}

	for _, file := range release["files"].([]any) {
		path, size := file.(object)["path"].(string), int(file.(object)["bytes"].(float64))
		whole := g.get(t, path)
		if whole.StatusCode != http.StatusOK || len(whole.body) != size ||
			whole.Header.Get("Accept-Ranges") != "bytes" ||
			whole.Header.Get("Content-Encoding") != "" || whole.Header.Get("x-credits-cost") != "0" {
			t.Errorf("%s: %d, %d bytes, %v", path, whole.StatusCode, len(whole.body), whole.Header)
		}
	}

	newest := g.get(t, "/v1/releases/latest/companies.parquet").body
	p, err := table.OpenParquet(bytes.NewReader(newest), int64(len(newest)))
	if err != nil || float64(p.Len()) != all {
		t.Fatalf("%v, %v", p, err)
	}
	defer p.Close()

	g.get(t, "/v1/releases/latest/changes.parquet").problem(t, http.StatusNotFound, "not-found")
}

// TestReleasesCanBeOff verifies that the files can be disabled.
func TestReleasesCanBeOff(t *testing.T) {
	g := start(t, withTradeRegister(t), func(g *gateway) { g.upstream("onrc")["releases"] = -1 })
	g.loaded(t)
	if list := g.get(t, "/v1/releases").object(t); len(list["releases"].([]any)) != 0 {
		t.Errorf("the list is %v", list)
	}

	g.get(t, "/v1/releases/latest/companies.parquet").problem(t, http.StatusNotFound, "not-found")
}
