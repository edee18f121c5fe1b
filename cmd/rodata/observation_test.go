package main

import (
	"io"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/testkit/standin"
)

// Even if the program is killed repeatedly, no observation behind an answer is lost.
func TestObservationsSurviveKillsLong(t *testing.T) {
	long.Only(t, "starts processes and waits for them")
	kills, callers, answersBetweenKills := 10, 32, 200
	p := newProgram(t)
	key := p.openAccounts(t, 1)[0].key // without a limit
	known, err := standin.Companies()
	testkit.NoError(t, err)

	var mu sync.Mutex
	var answered []ro.CUI
	next := 0
	for range kills {
		p.start(t)
		var calling sync.WaitGroup
		until := len(answered) + answersBetweenKills
		for range callers {
			calling.Go(func() {
				for {
					mu.Lock()
					cui := known[next%len(known)].CUI
					next++
					mu.Unlock()
					r, err := http.NewRequestWithContext(t.Context(), "GET", p.url+"/v1/companies/"+cui.String(), nil)
					if err != nil {
						t.Error(err)
						return
					}

					r.Header.Set("Authorization", "Bearer "+key)
					res, err := http.DefaultClient.Do(r)
					if err != nil {
						return // the program is gone
					}

					_, err = io.Copy(io.Discard, res.Body)
					res.Body.Close()
					if err == nil && res.StatusCode == http.StatusOK {
						mu.Lock()
						answered = append(answered, cui)
						mu.Unlock()
					}
				}
			})
		}

		testkit.Until(t, "enough companies are answered", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(answered) >= until
		})
		p.Kill()
		calling.Wait()
	}

	db, err := historystore.OpenSQLite(t.Context(), filepath.Join(p.data, "history.db"))
	testkit.NoError(t, err)
	defer db.Close()

	for _, cui := range answered {
		if all, _, err := db.Of(t.Context(), cui); err != nil || len(all) == 0 {
			t.Errorf("company %s was answered, and has %d observations: %v", cui, len(all), err)
		}
	}

	t.Logf("%d answers after %d kills", len(answered), kills)
}
