package cache

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// renewed is a kind whose entries are refreshed before they expire. With jitter, an entry is fresh for 90 to 110 hours,
// so it is never within Kind.Ahead of its expiry during the first 10 hours.
var renewed = Kind{Name: "renewed", Fresh: 100 * time.Hour, StaleWhileRevalidate: time.Hour, Ahead: 80 * time.Hour,
	Unknown: time.Hour, ErrUnknown: errUnknown}

// lastPart is an age at which entries of renewed are refreshed ahead of their expiry.
const lastPart = 35 * time.Hour

func TestPopularEntryIsRenewedBeforeItIsStale(t *testing.T) {
	levels(t, func(t *testing.T, c *Cache) {
		r := new(registry)
		var marked atomic.Int64
		f := Through(c, renewed, func(ctx context.Context, key taxID, d Demand) (string, error) {
			if d.Urgency() == Ahead {
				marked.Add(1)
			}
			return r.fetch(ctx, key)
		})
		want(t, f, 14399840, "14399840, answer 1", false, false)
		for range 3 { // popular, but still new
			pass(time.Hour)
			want(t, f, 14399840, "14399840, answer 1", true, false)
		}

		r.wantAsked(t, 1)
		pass(lastPart)
		for range 2 {
			want(t, f, 14399840, "14399840, answer 1", true, false)
		}

		pass(time.Second)
		want(t, f, 14399840, "14399840, answer 2", true, false)
		pass(85 * time.Hour) // the first answer would be stale by now
		want(t, f, 14399840, "14399840, answer 2", true, false)
		r.wantAsked(t, 2)
		if marked.Load() != 1 {
			t.Errorf("%d fetches had the urgency Ahead, want 1", marked.Load())
		}
	})
}

func TestEntriesNotRenewedAhead(t *testing.T) {
	for name, c := range map[string]struct {
		kind    Kind
		unknown bool
		reads   int
	}{
		"an entry that is read once": {kind: renewed, reads: 1},
		"without Ahead":              {kind: Kind{Name: "renewed", Fresh: renewed.Fresh}, reads: 10},
		"that the registry has no word": {kind: Kind{Name: "renewed", Unknown: renewed.Fresh, Ahead: renewed.Ahead,
			ErrUnknown: errUnknown}, unknown: true, reads: 10},
	} {
		t.Run(name, func(t *testing.T) {
			levels(t, func(t *testing.T, cache *Cache) {
				r := new(registry)
				if c.unknown {
					r.fail(errUnknown)
				}

				f := through(cache, c.kind, r.fetch)
				f.Get(t.Context(), 14399840)
				pass(lastPart)
				for range c.reads {
					if found, _ := f.Get(t.Context(), 14399840); !found.Hit || found.Stale {
						t.Errorf("found %+v", found)
					}
				}

				pass(time.Second)
				r.wantAsked(t, 1)
			})
		})
	}
}

func TestRenewalAheadThatFailsIsTriedAgainLater(t *testing.T) {
	levels(t, func(t *testing.T, c *Cache) {
		r := new(registry)
		f := through(c, renewed, r.fetch)
		f.Get(t.Context(), 14399840)
		pass(lastPart)
		r.fail(errors.New("no place to spare"))
		for range 19 { // within 9 s and 18 s
			want(t, f, 14399840, "14399840, answer 1", true, false)
			pass(time.Second)
		}

		r.wantAsked(t, 3)
		if k := c.Stats().Kinds["renewed"]; k.Failures != 0 || k.Refreshes != 2 {
			t.Errorf("counted %+v, want two renewals and no failures", k)
		}
	})
}

func TestRenewalsAheadAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, Options{})
		r := &registry{delay: time.Second}
		f := through(c, renewed, r.fetch)
		for key := range taxID(2 * maxAhead) {
			f.Put(key, "of then", time.Now().Add(-lastPart))
		}

		for range 3 {
			for key := range taxID(2 * maxAhead) {
				f.Get(t.Context(), key)
			}
		}

		pass(time.Minute)
		r.wantAsked(t, maxAhead)
		for key := range taxID(2 * maxAhead) {
			f.Get(t.Context(), key)
		}

		pass(time.Minute)
		r.wantAsked(t, 2*maxAhead)
	})
}

// TestOneProcessRenewsAhead verifies that only one of several processes queries the registry for a popular entry, and
// the others share its answer.
func TestOneProcessRenewsAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := newShelf(), &registry{delay: 2 * claimPatience}
		one := through(open(t, Options{}).Sharing(s), renewed, r.fetch)
		other := through(open(t, Options{}).Sharing(s), renewed, r.fetch)
		want(t, one, 14399840, "14399840, answer 1", false, false)
		pass(lastPart)
		for range 2 { // at the same time
			want(t, one, 14399840, "14399840, answer 1", true, false)
			want(t, other, 14399840, "14399840, answer 1", true, false)
		}

		pass(3 * claimPatience)
		r.wantAsked(t, 2)
		pass(refreshPause)
		for _, f := range []*Facts[taxID, string]{one, other} {
			f.Get(t.Context(), 14399840) // one of them may still have the first answer
			pass(2 * time.Second)
			want(t, f, 14399840, "14399840, answer 2", true, false)
		}

		r.wantAsked(t, 2)
	})
}
