package blackbox

import (
	"context"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/onrc"
	"github.com/rodata/rodata/upstream/upstreamtest"
)

// loadingTradeRegister lets a gateway load the trade register from the stand-in.
func loadingTradeRegister(g *gateway) { g.upstream("onrc")["off"] = false }

// withTradeRegister gives a gateway a trade register that was loaded from the stand-in before. Loading creates hundreds
// of files, so that tests of what a loaded register serves share one load.
func withTradeRegister(t *testing.T) func(*gateway) {
	return func(*gateway) {
		t.Helper()
		register, err := loadedRegister()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(filepath.Join(os.Getenv("RODATA_DATA_DIR"), "onrc"), register); err != nil {
			t.Fatal(err)
		}
	}
}

// loadedRegister is the directory of a loaded register, in memory.
var loadedRegister = sync.OnceValues(func() (fs.FS, error) {
	registries, err := upstreamtest.Start(upstreamtest.Options{})
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
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for g.get(t, "/v1/companies?limit=1").StatusCode != http.StatusOK {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not loaded: %s", g.get(t, "/v1/companies?limit=1").body)
		}
	}
}

func TestTradeRegister(t *testing.T) {
	g := start(t, loadingTradeRegister)
	g.loaded(t)

	found := g.get(t, "/v1/companies?q=exemplu%20transilvan&county=cj&city=cluj-napoca&naceCode=6210").object(t)
	items, _ := found["items"].([]any)
	if found["totalCount"] != 1.0 || len(items) != 1 || items[0].(object)["taxId"] != 9900000010.0 {
		t.Errorf("found %v", found)
	}
	if page := g.get(t, "/v1/companies?sortBy=taxId&limit=3&offset=1").object(t); len(page["items"].([]any)) != 3 ||
		page["totalCount"].(float64) < 240 {
		t.Errorf("a page of all: %v", page)
	}
	if none := g.get(t, "/v1/companies?q=zzzzzz").object(t); none["totalCount"] != 0.0 || none["items"] == nil {
		t.Errorf("nothing found: %v", none)
	}

	suggested := g.get(t, "/v1/companies/suggest?q=exemplu%20trans").object(t)["items"].([]any)
	if len(suggested) == 0 || suggested[0].(object)["taxId"] != 9900000010.0 {
		t.Errorf("suggested %v", suggested)
	}

	g.get(t, "/v1/companies?county=Klug").problem(t, http.StatusBadRequest, "invalid-request")
	for _, path := range registered {
		if res := g.do(t, "OPTIONS", path, request{}); res.StatusCode != http.StatusNoContent {
			t.Errorf("OPTIONS %s: got %d", path, res.StatusCode)
		}
	}
}

// A company that has no tax id in the register has null as its tax id, and ranks after companies with one.
func TestCompaniesWithoutANumber(t *testing.T) {
	g := start(t, withTradeRegister(t))
	g.loaded(t)
	for _, path := range []string{"/v1/companies?q=exemplu%20cu&limit=100",
		"/v1/companies?q=exemplu%20cu&sortBy=taxId&sortDirection=desc&limit=100",
		"/v1/companies/suggest?q=exemplu%20cu%20num"} {
		without := 0
		for _, item := range g.get(t, path).object(t)["items"].([]any) {
			switch number := item.(object)["taxId"].(type) {
			case nil:
				without++
			case float64:
				if number == 0 || without > 0 {
					t.Errorf("%s: the number %v behind %d companies without one", path, number, without)
				}
			}
		}

		if without == 0 {
			t.Errorf("%s: no company without a number", path)
		}
	}
}

// If one register is down, the data of the other is served, and the answer names the failed register.
func TestTaxAuthorityDownTradeRegisterThere(t *testing.T) {
	g := start(t, withTradeRegister(t))
	g.loaded(t)
	g.registries.ANAF.Always(upstreamtest.WAF)
	c := g.get(t, "/v1/companies/"+company(t)).object(t)
	if name, _ := c["name"].(string); !strings.HasPrefix(name, "EXEMPLU TRANSILVAN") ||
		c["stateRegistration"] != "in_operation" {
		t.Errorf("got %v", c)
	}
	if payer, there := c["vatPayer"]; payer != nil || !there {
		t.Errorf("vatPayer is %v, want null", payer)
	}

	sources := c["sources"].([]any)
	if first := sources[0].(object); first["name"] != "anaf" || first["retrievedAt"] != nil || len(sources) != 2 {
		t.Errorf("sources %v", sources)
	}
}

// The last five years come from the bulk statements, which are loaded with the register; older ones are fetched from
// the tax authority.
func TestBalanceSheets(t *testing.T) {
	g := start(t, withTradeRegister(t))
	g.loaded(t)
	path := "/v1/companies/" + company(t) + "?include=balanceSheets"
	g.get(t, path)
	asked := g.registries.ANAF.Requests().Requests
	answer := g.get(t, path)
	sheets := answer.object(t)["balanceSheets"].([]any)
	if len(sheets) != 5 || answer.Header.Get("x-cache") != "HIT" || g.registries.ANAF.Requests().Requests != asked {
		t.Fatalf("%d sheets, %s", len(sheets), answer.Header.Get("x-cache"))
	}

	year := sheets[0].(object)["year"].(float64)
	for i, sheet := range sheets {
		if s := sheet.(object); s["year"] != year-float64(i) || s["currency"] != "RON" || s["turnover"] == nil ||
			len(s["indicators"].([]any)) != 20 {
			t.Errorf("sheet %d: %v", i, s)
		}
	}

	old := g.get(t, path+"&years=2015")
	if sheets := old.object(t)["balanceSheets"].([]any); len(sheets) != 1 || old.Header.Get("x-cache") != "MISS" {
		t.Errorf("of 2015: %d sheets, %s", len(sheets), old.Header.Get("x-cache"))
	}
	if again := g.get(t, path+"&years=2015"); again.Header.Get("x-cache") != "HIT" {
		t.Error("the sheet of 2015 was fetched twice")
	}
}

// A gateway without access to the portal gets the register, with the bulk statements, from a publishing gateway.
func TestTradeRegisterFromPublishingGateway(t *testing.T) {
	folder := t.TempDir()
	t.Run("publishes", func(t *testing.T) {
		g := start(t, loadingTradeRegister, func(g *gateway) { g.upstream("onrc")["publish"] = folder })
		g.await(t, func() bool { _, err := os.Stat(filepath.Join(folder, "register.json")); return err == nil })
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

func TestTradeRegisterNotLoaded(t *testing.T) {
	g := start(t) // with the portal off, and nothing loaded before
	for _, path := range []string{"/v1/companies?q=exemplu", "/v1/companies/suggest?q=exemplu"} {
		res := g.get(t, path)
		if detail := res.problem(t, http.StatusServiceUnavailable, "unavailable"); !strings.Contains(detail,
			"not loaded yet") {
			t.Errorf("%s: %s", path, detail)
		}
		if res.Header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", path)
		}
	}
}
