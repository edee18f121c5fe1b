package blackbox

import (
	"context"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/onrc"
)

// loadingTradeRegister lets a gateway load the trade register from the stand-in.
func loadingTradeRegister(g *gateway) { g.upstream("onrc")["off"] = false }

// withTradeRegister gives a gateway a trade register that was loaded from the stand-in before. Loading creates hundreds
// of files, so that tests of what a loaded register serves share one load.
func withTradeRegister(t *testing.T) func(*gateway) {
	return func(*gateway) {
		t.Helper()
		register, err := loadedRegister()
		testkit.NoError(t, err)
		testkit.NoError(t, os.CopyFS(filepath.Join(os.Getenv("RODATA_DATA_DIR"), "onrc"), register))
	}
}

// loadedRegister is the directory of a loaded register, in memory.
var loadedRegister = sync.OnceValues(func() (fs.FS, error) {
	registries, err := standin.Start(standin.Options{})
	if err != nil {
		return nil, err
	}
	defer registries.Close()

	portal, err := onrc.NewPortal(onrc.PortalOptions{Options: upstream.Options{URL: registries.ONRC.URL}})
	if err != nil {
		return nil, err
	}
	defer portal.Close()

	dir, err := os.MkdirTemp("", "rodata-register")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)

	if _, err := onrc.Load(context.Background(), onrc.Options{Portal: portal, Dir: dir}); err != nil {
		return nil, err
	}

	files := fstest.MapFS{}
	return files, fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}

		content, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = &fstest.MapFile{Data: content, Mode: 0o600}
		return err
	})
})

// loaded waits until the trade register answers.
func (g *gateway) loaded(t *testing.T) {
	t.Helper()
	testkit.Until(t, "the register is loaded", func() bool {
		return g.get(t, "/v1/companies?limit=1").StatusCode == http.StatusOK
	})
}

// A gateway without access to the portal gets the register, with the bulk statements, from a publishing gateway.
func TestTradeRegisterFromPublishingGateway(t *testing.T) {
	folder := t.TempDir()
	t.Run("publishes", func(t *testing.T) {
		start(t, loadingTradeRegister, func(g *gateway) { g.upstream("onrc")["publish"] = folder })
		testkit.Until(t, "the register is published", func() bool {
			_, err := os.Stat(filepath.Join(folder, "register.json"))
			return err == nil
		})
	})
	t.Run("takes", func(t *testing.T) {
		g := start(t, func(g *gateway) { g.upstream("onrc")["take"] = folder })
		g.loaded(t)
		if found := g.get(t, "/v1/companies?q=exemplu%20transilvan&county=cj").object(t); found["totalCount"] != 1.0 {
			t.Errorf("found %v", found)
		}
		if asked := g.registries.ONRC.Requests().Requests; asked != 0 {
			t.Errorf("the portal was asked %d times", asked)
		}
	})
}
