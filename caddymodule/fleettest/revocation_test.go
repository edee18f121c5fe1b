package fleettest

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
)

// revocationPromise is the maximum time for which an edge may accept a key revoked elsewhere.
const revocationPromise = 10 * time.Second

// doomed is a key known to all edges that will be revoked.
type doomed struct {
	load          *load
	id, key, path string
}

// doomed issues a key.
func (l *load) doomed(t *testing.T) doomed {
	t.Helper()
	key, text, err := l.keys.Issue(t.Context(), account.Key{Account: l.payers[0].account, Name: "to be revoked"})
	testkit.NoError(t, err)
	// A call of this path needs the store only to look up the key.
	d := doomed{load: l, id: key.ID, key: text, path: l.fleet.oracle.fixings[0].path()}
	for i, e := range l.fleet.edges {
		if status := d.use(t, http.DefaultClient, e); status != http.StatusOK {
			t.Errorf("edge %d: a new key gets %d", i, status)
		}
	}

	return d
}

// revoke revokes the key and returns how long each edge accepts it afterwards. It watches the edges for the given
// time, and fails the test if an edge accepts the key longer than promised.
func (d doomed) revoke(t *testing.T, watch time.Duration) []time.Duration {
	t.Helper()
	asking := &http.Client{Timeout: time.Second}
	defer asking.CloseIdleConnections()
	testkit.NoError(t, d.load.keys.Revoke(t.Context(), d.load.payers[0].account, d.id, ""))

	revoked := time.Now()
	accepted := make([]time.Duration, edges)
	var watching sync.WaitGroup
	for i, e := range d.load.fleet.edges {
		watching.Go(func() {
			for time.Since(revoked) < watch {
				asked := time.Since(revoked)
				switch d.use(t, asking, e) {
				case http.StatusUnauthorized:
					return
				case http.StatusOK, http.StatusTooManyRequests:
					accepted[i] = asked
				}

				pause(20 * time.Millisecond)
			}
		})
	}

	watching.Wait()
	for i, took := range accepted {
		if took > revocationPromise {
			t.Errorf("edge %d accepts a key %s after it was revoked", i, took)
		}
	}

	return accepted
}

// use returns the status of a call with the key, 0 if there is no answer in time.
func (d doomed) use(t *testing.T, client *http.Client, e *edge) int {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, e.url+d.path, nil)
	if err != nil {
		t.Error(err)
		return 0
	}

	r.Header.Set("Authorization", "Bearer "+d.key)
	res, err := client.Do(r)
	if err != nil {
		return 0
	}

	res.Body.Close()
	return res.StatusCode
}
