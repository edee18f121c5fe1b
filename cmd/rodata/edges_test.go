package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
)

// onceAll is a plan with credits for only one call.
const onceAll = `
		plan once {
			credits 1000
			rate 100000 100000
		}
`

// edges are two programs on one PostgreSQL, with the plan of onceAll.
func edges(t *testing.T, database string) []*program {
	t.Helper()
	t.Setenv("RODATA_STORE", database)
	t.Setenv("RODATA_SECRET", "a secret that both of them have")
	shipped, err := os.ReadFile(filepath.Join("..", "..", "Caddyfile"))
	testkit.NoError(t, err)

	config := strings.Replace(string(shipped), "\trodata {\n", "\trodata {\n"+onceAll, 1)
	both := []*program{newProgram(t), newProgram(t)}
	for _, p := range both {
		testkit.NoError(t, os.WriteFile(filepath.Join(p.dir, "Caddyfile"), []byte(config), 0o600))

		p.start(t)
		p.read(t, companyPath(t))
	}

	return both
}

// Two edges share the monthly credits of an account, and each edge rejects a key that the other has revoked.
func TestTwoEdgesShareAccounts(t *testing.T) {
	database := accountstore.Postgres(t)
	both := edges(t, database)
	db, err := store.OpenPostgres(t.Context(), database)
	testkit.NoError(t, err)
	defer db.Close()

	keys := account.NewDirectory(db, []byte("a secret that both of them have"), account.DefaultPrefix)
	owner := account.Account{ID: account.NewID(), Plan: "once", CreatedAt: time.Now()}
	testkit.NoError(t, db.CreateAccount(t.Context(), owner))

	key, secret, err := keys.Issue(t.Context(), account.Key{Account: owner.ID, Name: "test"})
	testkit.NoError(t, err)

	const callers, calls, credits = 64, 3000, 1000
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers}}
	defer client.CloseIdleConnections()
	path := companyPath(t)
	var next, answered, refused atomic.Int64
	var calling sync.WaitGroup
	for range callers {
		calling.Go(func() {
			for n := next.Add(1); n <= calls; n = next.Add(1) {
				switch status := call(t, client, "GET", both[n%2].url+path, secret); status {
				case http.StatusOK:
					answered.Add(1)
				case http.StatusPaymentRequired:
					refused.Add(1)
				default:
					t.Errorf("got %d", status)
				}
			}
		})
	}

	calling.Wait()
	if answered.Load() != credits || refused.Load() != calls-credits {
		t.Errorf("%d calls were answered and %d refused, of %d with %d credits", answered.Load(), refused.Load(), calls,
			credits)
	}

	if status := call(t, client, "DELETE", both[0].url+"/v1/keys/"+key.ID, secret); status != http.StatusNoContent {
		t.Fatalf("revoking got %d", status)
	}
	if status := call(t, client, "GET", both[0].url+"/v1/usage", secret); status != http.StatusUnauthorized {
		t.Errorf("where it was revoked the key gets %d", status)
	}

	revoked := time.Now()
	testkit.Until(t, "the other edge refuses the key", func() bool {
		return call(t, client, "GET", both[1].url+"/v1/usage", secret) == http.StatusUnauthorized
	})
	took := time.Since(revoked)
	if took > 10*time.Second {
		t.Errorf("the other edge took %s", took)
	}

	t.Logf("the other edge refused the key after %s", took.Round(time.Millisecond))
}

// call returns the status of a request with a key.
func call(t *testing.T, client *http.Client, method, url, secret string) int {
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Error(err)
		return 0
	}

	r.Header.Set("Authorization", "Bearer "+secret)
	res, err := client.Do(r)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer res.Body.Close()

	io.Copy(io.Discard, res.Body)
	return res.StatusCode
}
