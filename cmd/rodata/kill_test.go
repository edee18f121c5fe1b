package main

import (
	"context"
	"database/sql"
	"io"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
)

// payer is an account with a key, and one caller who uses it.
type payer struct {
	account, key string
	paid         int64         // calls whose answer has arrived, with the charge
	all          *atomic.Int64 // of all payers
}

// openAccounts creates payers of a plan without a limit, in the store of a stopped program.
func (p *program) openAccounts(t *testing.T, n int) []*payer {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(p.data, "accounts.db"))
	testkit.NoError(t, err)
	defer db.Close()

	secret, err := account.LoadSecret("", p.data)
	testkit.NoError(t, err)

	keys := account.NewDirectory(db, secret, account.DefaultPrefix)
	payers, all := make([]*payer, n), new(atomic.Int64)
	for i := range payers {
		a := account.Account{ID: account.NewID(), Plan: "enterprise", CreatedAt: time.Now()}
		testkit.NoError(t, db.CreateAccount(t.Context(), a))

		_, key, err := keys.Issue(t.Context(), account.Key{Account: a.ID, Name: "test"})
		testkit.NoError(t, err)

		payers[i] = &payer{account: a.ID, key: key, all: all}
	}

	return payers
}

// pay calls a path until the context ends, each time with a new answer to wait for.
func (x *payer) pay(ctx context.Context, client *http.Client, url string) {
	for ctx.Err() == nil {
		r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
		if err != nil {
			return
		}

		r.Header.Set("Authorization", "Bearer "+x.key)
		res, err := client.Do(r)
		if err != nil {
			return // the program is gone
		}

		_, err = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if err == nil && res.StatusCode == http.StatusOK && res.Header.Get("x-credits-cost") == "1" {
			x.paid++
			x.all.Add(1)
		}
	}
}

// Even if the program is killed repeatedly, no charge that a caller saw is lost. Only calls that were in flight may be
// charged in addition.
func TestChargesSurviveKillsLong(t *testing.T) {
	long.Only(t, "starts processes and waits for them")
	t.Parallel()
	const kills, callers, callsBetweenKills = 20, 64, 300
	p := newProgram(t)
	payers := p.openAccounts(t, callers)
	path := companyPath(t)
	for range kills {
		p.start(t)
		p.read(t, path) // from now on the cache answers
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers}}
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		enough := payers[0].all.Load() + callsBetweenKills
		var calling sync.WaitGroup
		for _, x := range payers {
			calling.Go(func() { x.pay(ctx, client, p.url+path) })
		}

		testkit.Until(t, "enough calls are charged", func() bool { return payers[0].all.Load() >= enough })
		p.Kill()
		calling.Wait()
		stop()
		client.CloseIdleConnections()
	}

	p.audit(t, payers, kills)
}

// audit compares the payers' records of their charges with the store.
func (p *program) audit(t *testing.T, payers []*payer, kills int) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(p.data, "accounts.db"))
	testkit.NoError(t, err)
	defer db.Close()

	var sound string
	if err := db.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&sound); err != nil || sound != "ok" {
		t.Errorf("the file is %q, %v", sound, err)
	}

	var paid, charged int64
	for _, x := range payers {
		var used, entries, counted int64
		err := db.QueryRowContext(t.Context(),
			`SELECT (SELECT COALESCE(SUM(used), 0) FROM credits WHERE account_id = $1),
				(SELECT COUNT(*) FROM charges WHERE account_id = $1),
			        (SELECT COALESCE(SUM(credits), 0) FROM usage_days
			        WHERE account_id = $1)`, x.account).Scan(&used, &entries,
			&counted)
		testkit.NoError(t, err)
		if used != entries || used != counted {
			t.Errorf("account %s: %d credits used, %d charges, %d credits counted by day", x.account, used,
				entries, counted)
		}
		if lost, surplus := x.paid-used, used-x.paid; lost > 0 || surplus > int64(kills) {
			t.Errorf("account %s: %d charges were seen and %d are there, after %d kills", x.account,
				x.paid, used, kills)
		}

		paid, charged = paid+x.paid, charged+used
	}

	t.Logf("%d charges were seen by %d callers, %d are there: %d more, after %d kills", paid, len(payers), charged,
		charged-paid, kills)
}
