package blackbox

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
)

// wallet is an account of a test gateway, with its key.
type wallet struct {
	account, key string
}

// paying gives the gateway a plan with a number of credits per month, and opens an account on it before the start.
func paying(t *testing.T, w *wallet, credits int) func(*gateway) {
	return func(g *gateway) {
		g.sell(credits)
		dir := os.Getenv("RODATA_DATA_DIR")
		db, err := store.Open(t.Context(), filepath.Join(dir, "accounts.db"))
		testkit.NoError(t, err)
		defer db.Close()

		secret, err := account.LoadSecret("", dir)
		testkit.NoError(t, err)

		w.account = account.NewID()
		testkit.NoError(t, db.CreateAccount(t.Context(),
			account.Account{ID: w.account, Plan: "free", CreatedAt: time.Now()}))
		if _, w.key, err = account.NewDirectory(db, secret, account.DefaultPrefix).Issue(t.Context(),
			account.Key{Account: w.account, Name: "test"}); err != nil {
			t.Fatal(err)
		}
	}
}

// sell reduces the catalogue to one plan with a number of credits per month.
func (g *gateway) sell(credits int) {
	g.app()["plans"] = []object{{"code": "free", "credits": credits,
		"rate": object{"per_second": 100_000, "burst": 100_000}}}
}

// header returns the headers of a request with the key.
func (w *wallet) header() map[string]string {
	return map[string]string{
		"Authorization": "Bearer " + w.key, "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream",
	}
}

func (w *wallet) get(t *testing.T, g *gateway, path string) answer {
	t.Helper()
	return g.do(t, "GET", path, request{header: w.header()})
}

// used returns the credits in the account's usage.
func (w *wallet) used(t *testing.T, g *gateway) int {
	t.Helper()
	return int(w.get(t, g, "/v1/usage").object(t)["creditsUsed"].(float64))
}

// Reloads under load charge every answer once, even if the plan changes in the meantime.
func TestReloadsKeepCreditsLong(t *testing.T) {
	var w wallet
	g := start(t, paying(t, &w, 1_000_000))
	path := "/v1/companies/" + company(t)
	w.get(t, g, path)
	l := g.pressAs(w.header()["Authorization"], 16, path)
	reloads := 3
	if long.Full(t) {
		reloads = 10
	}

	for i := range reloads {
		g.sell(2_000_000 + i)
		testkit.NoError(t, g.load())
	}

	l.end(t)
	if used, answered, resent := w.used(t, g), int(l.answered.Load())+1, int(l.resent.Load()); used < answered ||
		used > answered+resent {
		t.Errorf("%d calls were answered, %d sent again, and %d credits charged", answered, resent, used)
	}

	a := w.get(t, g, path)
	if want := 2_000_000 + reloads - 1 - w.used(t, g); a.Header.Get("x-credits-remaining") != fmt.Sprint(want) {
		t.Errorf("%s are left of the last plan, want %d", a.Header.Get("x-credits-remaining"), want)
	}

	g.sell(1)
	testkit.NoError(t, g.load())
	if detail := w.get(t, g, path).problem(t, http.StatusPaymentRequired,
		"quota-exhausted"); !strings.Contains(detail, "Free") {
		t.Errorf("the detail does not name the plan: %s", detail)
	}
}
