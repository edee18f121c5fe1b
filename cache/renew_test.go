package cache

import (
	"context"
	"testing"
)

func TestRenewal(t *testing.T) {
	levels(t, func(t *testing.T, c *Cache) {
		r := new(registry)
		f := Through(c, renewed, Plain(r.fetch))
		renew := func(key taxID, keep bool) {
			t.Helper()
			done := make(chan error, 1)
			f.Renew(context.Background(), key, keep, func(err error) { done <- err })
			if err := <-done; err != nil {
				t.Error(err)
			}

			c.flights.mu.Lock()
			last := c.flights.byKey[f.name(key)]
			c.flights.mu.Unlock()
			if last != nil {
				<-last.done // otherwise the next refresh could join it
			}
		}

		want(t, f, 14399840, "14399840, answer 1", false, false)
		renew(14399840, false) // although it is fresh
		want(t, f, 14399840, "14399840, answer 2", true, false)

		renew(9900000010, false) // never requested
		if found, ok := f.Peek(9900000010); ok {
			t.Errorf("%v is kept", found.Value)
		}

		renew(9900000010, true)
		want(t, f, 9900000010, "9900000010, answer 4", true, false)
		r.wantAsked(t, 4)
	})
}
