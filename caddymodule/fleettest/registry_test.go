package fleettest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// tap stands in front of a registry and notes when it is asked.
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

// since are the moments at which the registry was asked, from one on.
func (p *tap) since(from time.Time) []time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	first, _ := slices.BinarySearchFunc(p.asked, from, time.Time.Compare)
	return slices.Clone(p.asked[first:])
}

// most is the greatest number of moments within so long.
func most(moments []time.Time, within time.Duration) int {
	n := 0
	for i, first := range moments {
		after, _ := slices.BinarySearchFunc(moments, first.Add(within), time.Time.Compare)
		n = max(n, after-i)
	}
	return n
}

// closest is the least time between two moments.
func closest(moments []time.Time) time.Duration {
	least := time.Hour
	for i := range moments[:max(len(moments)-1, 0)] {
		least = min(least, moments[i+1].Sub(moments[i]))
	}
	return least
}
