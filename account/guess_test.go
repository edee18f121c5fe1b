package account

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit"
)

var (
	guesser   = netip.MustParseAddr("192.0.2.1")
	bystander = netip.MustParseAddr("192.0.2.2")
)

// guarded is like stocked, but the directory limits guesses.
func guarded() (d *Directory, s *memoryStore, secret string) {
	d, s, secret = stocked()
	d.Guesses = metering.NewBuckets()
	return d, s, secret
}

// guess sends a number of invented keys from an address concurrently.
func guess(d *Directory, from netip.Addr, times int) (refused int) {
	var all sync.WaitGroup
	var mu sync.Mutex
	for range times {
		all.Go(func() {
			_, err := d.KeyFrom(context.Background(), NewSecret(DefaultPrefix), from)
			mu.Lock()
			defer mu.Unlock()
			if errors.As(err, new(*TooManyGuesses)) {
				refused++
			}
		})
	}

	all.Wait()
	return refused
}

func TestInventedKeysDoNotReachTheStore(t *testing.T) {
	for name, from := range map[string]netip.Addr{"an address": guesser, "no address": {},
		"IPv6": netip.MustParseAddr("2001:db8::1")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // no time passes, so the bucket is not refilled
				d, s, secret := guarded()
				testkit.NoError(t, testkit.Err(d.KeyFrom(t.Context(), secret, from)))
				if refused := guess(d, from, 500); refused != 490 || s.queries != 11 {
					t.Errorf("of 500 invented keys %d were refused, and the store was asked %d times; want 490 and 11",
						refused, s.queries)
				}

				<-time.After(knownTTL) // so the store is asked again
				guess(d, from, 500)
				testkit.NoError(t, testkit.Err(d.KeyFrom(t.Context(), secret, from)),
					"a valid key that was used before from the address of the guesses")
			})
		})
	}
}

func TestGuessesAreCountedByAddress(t *testing.T) {
	d, _, secret := guarded()
	guess(d, guesser, 500)
	refused := (*TooManyGuesses)(nil)
	if _, err := d.KeyFrom(t.Context(), secret, guesser); !errors.As(err, &refused) || refused.RetryAfter <= 0 ||
		refused.RetryAfter > time.Second {
		t.Errorf("a new key from the address of the guesses: %v", err)
	}
	testkit.NoError(t, testkit.Err(d.KeyFrom(t.Context(), secret, bystander)), "the same key from another address")
}

// Valid keys use up no guesses, even with many keys, or many concurrent calls with one key.
func TestValidKeysAreNoGuesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, s, secret := guarded()
		s.before = func() { <-time.After(time.Millisecond) } // the calls overlap in the store
		var all sync.WaitGroup
		for range 200 {
			all.Go(func() {
				if key, err := d.KeyFrom(t.Context(), secret, guesser); err != nil || key.ID != "key-1" {
					t.Errorf("%+v, %v", key, err)
				}
			})
		}

		all.Wait()
		testkit.Equal(t, s.queries, 1, "queries for 200 calls with one key")

		for range 100 {
			other := NewSecret(DefaultPrefix)
			s.keys[string(d.Hash(other))] = Key{ID: "key-2", Account: "acc-1", Plan: "free"}
			testkit.NoError(t, testkit.Err(d.KeyFrom(t.Context(), other, guesser)))
		}
	})
}

// If the caller who started a look-up gives up, it continues for another caller who shares it.
func TestLeavingCallerFailsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, s, secret := guarded()
		answer := make(chan struct{})
		s.before = func() { <-answer }
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := d.KeyFrom(ctx, secret, guesser)
			left <- err
		}()
		synctest.Wait()
		done := make(chan error, 1)
		go func() {
			_, err := d.KeyFrom(t.Context(), secret, guesser)
			done <- err
		}()
		synctest.Wait()
		leave()
		testkit.ErrorIs(t, <-left, context.Canceled, "the caller who left")

		close(answer)
		if err := <-done; err != nil || s.queries != 1 {
			t.Errorf("the other caller got %v after %d queries", err, s.queries)
		}
	})
}
