package blackbox

import (
	"crypto/sha256"
	"encoding/base64"
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

// Both channels draw on one counter, and report the same numbers.
func TestChannelsShareCredits(t *testing.T) {
	var w wallet
	g := start(t, paying(t, &w, 10))
	cui := company(t)
	left := 10
	for range 3 {
		left--
		a := w.get(t, g, "/v1/companies/"+cui)
		if cost, remaining := a.Header.Get("x-credits-cost"), a.Header.Get("x-credits-remaining"); cost != "1" ||
			remaining != fmt.Sprint(left) {
			t.Errorf("REST: %s was charged and %s are left, want 1 and %d", cost, remaining, left)
		}

		for _, tool := range []struct {
			name, arguments string
			cost            int
		}{
			{"get_company", `{"cui":"` + cui + `"}`, 1}, {"search_counties", `{}`, 0},
			{"get_company", `{"cui":"` + cui + `"}`, 1},
			{"get_company", `{"cui":"19"}`, 0}, {"get_company", `{"cui":"RO19"}`, 0}, {"get_usage", `{}`, 0},
		} {
			left -= tool.cost
			a := g.do(t, "POST", "/mcp", request{header: w.header(),
				body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool.name +
					`","arguments":` + tool.arguments + `}}`})
			meta := a.object(t)["result"].(object)["_meta"].(object)
			if meta["ro.rodata/creditsCost"] != float64(tool.cost) ||
				meta["ro.rodata/creditsRemaining"] != float64(left) {
				t.Errorf("%s %s: the facts are %v, want %d charged and %d left", tool.name, tool.arguments, meta,
					tool.cost, left)
			}
		}
	}

	if n := w.used(t, g); n != 9 {
		t.Errorf("%d credits are used, want 9", n)
	}
}

// HEAD reports the size and the age of an answer, and costs as much as GET. The ETag of another caller's answer does
// not reveal them for free.
func TestHeadCostsAsMuchAsGet(t *testing.T) {
	var w wallet
	g := start(t, paying(t, &w, 10))
	path := "/v1/companies/" + company(t)
	for left, query := range []string{"?format=text&fields=vatPayer", ""} {
		head := g.do(t, "HEAD", path+query, request{header: w.header()})
		if head.StatusCode != http.StatusOK || head.Header.Get("x-credits-cost") != "1" ||
			head.Header.Get("x-credits-remaining") != fmt.Sprint(9-left) {
			t.Errorf("%s: %d %v", query, head.StatusCode, head.Header)
		}
	}

	value := w.get(t, g, path+"?format=text&fields=vatPayer")
	sum := sha256.Sum256(value.body)
	for _, tag := range []string{`"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`, "*"} {
		header := w.header()
		header["If-None-Match"] = tag
		if a := g.do(t, "GET", path+"?format=text&fields=vatPayer", request{header: header}); a.StatusCode != 200 {
			t.Errorf("the tag %s gets %d", tag, a.StatusCode)
		}
	}
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
