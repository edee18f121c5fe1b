package profile

import (
	"errors"
	"testing"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// TestDayWithoutTheRegister verifies that every stored company is answered during an outage of more than a day:
// immediately for two days after it was fetched, and marked as stale. Other companies fail in time. After the outage,
// everything works as before.
func TestDayWithoutTheRegister(t *testing.T) {
	opened(t, DefaultLifetimes, func(t *testing.T, o *registry) {
		var stored []ro.CUI
		for n := range 100 {
			for digit := range ro.CUI(10) { // one of the check digits is correct
				cui := 9900100000 + ro.CUI(n)*10 + digit
				if new(ro.CUI).UnmarshalText([]byte(cui.String())) == nil {
					stored = append(stored, cui)
				}
			}
		}

		for _, cui := range stored {
			o.wanted(t, cui)
		}

		<-time.After(12 * time.Hour)
		o.down.Store(true)
		calls, old := len(o.called()), 0
		for hour := range 36 {
			for _, cui := range stored {
				began := time.Now()
				answer, err := o.served.Company(t.Context(), today(cui))
				patience := time.Duration(0)
				if began.After(answer.FreshUntil.Add(DefaultLifetimes.Revalidate)) {
					patience = 1500 * time.Millisecond // for a newer record
				}
				if err != nil || answer.Cache != op.Hit || time.Since(began) > patience {
					t.Fatalf("hour %d: %s: %+v after %s, %v", hour, cui, answer, time.Since(began), err)
				}

				stale := read(t, answer).Sources[0].Stale
				if late := !time.Now().Before(answer.FreshUntil); stale != late {
					t.Errorf("hour %d: %s: stale %t, late %t", hour, cui, stale, late)
				}
				if stale {
					old++
				}
			}

			began := time.Now()
			_, err := o.served.Company(t.Context(), today(unknown))
			if failed := new(op.Failure); !errors.As(err, &failed) || time.Since(began) > 12500*time.Millisecond {
				t.Errorf("hour %d: a new company: %v after %s", hour, err, time.Since(began))
			}

			<-time.After(time.Hour)
		}

		if old < 20*len(stored) {
			t.Errorf("%d answers were stale", old)
		}
		// The breaker's probes, and the calls before it opened.
		if calls = len(o.called()) - calls; calls > 36*8 {
			t.Errorf("the register was called %d times while it was down", calls)
		}

		o.down.Store(false)
		for range 3 {
			for _, cui := range stored {
				o.wanted(t, cui)
			}
			<-time.After(10 * time.Minute)
		}

		for _, cui := range stored {
			if _, stale := o.wanted(t, cui); stale {
				t.Errorf("%s is still stale after the outage", cui)
			}
		}
	})
}
