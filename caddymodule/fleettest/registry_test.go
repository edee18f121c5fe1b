package fleettest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// tap is a proxy for a registry that records the times of requests.
type tap struct {
	url string

	mu    sync.Mutex
	asked []time.Time
}

func newTap(t *testing.T, registry http.Handler) *tap {
	p := &tap{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asked = append(p.asked, time.Now())
		p.mu.Unlock()
		registry.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// since returns the times of requests from a given time on.
func (p *tap) since(from time.Time) []time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	first, _ := slices.BinarySearchFunc(p.asked, from, time.Time.Compare)
	return slices.Clone(p.asked[first:])
}

// most returns the maximum number of times within a duration.
func most(moments []time.Time, within time.Duration) int {
	n := 0
	for i, first := range moments {
		after, _ := slices.BinarySearchFunc(moments, first.Add(within), time.Time.Compare)
		n = max(n, after-i)
	}
	return n
}

// closest returns the minimum interval between two times.
func closest(moments []time.Time) time.Duration {
	least := time.Hour
	for i := range moments[:max(len(moments)-1, 0)] {
		least = min(least, moments[i+1].Sub(moments[i]))
	}
	return least
}
