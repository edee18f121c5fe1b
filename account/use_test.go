package account

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
)

// writing runs WriteUses until stop is called, and counts its failures.
func writing(t *testing.T, d *Directory) (stop func(), failures *int) {
	ctx, cancel := context.WithCancel(t.Context())
	ended, failures := make(chan struct{}), new(int)
	go func() {
		defer close(ended)
		d.WriteUses(ctx, func(error) { *failures++ })
	}()
	return func() { cancel(); <-ended }, failures
}

func TestUsesAreWrittenOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, s, secret := stocked()
		stop, failures := writing(t, d)
		start := time.Now()
		for range 180 {
			<-time.After(time.Second)
			testkit.NoError(t, testkit.Err(d.Key(t.Context(), secret)))

			d.Key(t.Context(), NewSecret(DefaultPrefix)) // another account's key has no effect
		}

		synctest.Wait()
		stop()
		if len(s.touched) < 3 || len(s.touched) > 4 || *failures != 0 {
			t.Fatalf("uses were written %d times in 3 minutes, with %d failures", len(s.touched),
				*failures)
		}

		for i, used := range s.touched {
			at := used["key-1"]
			if minute := start.Add(time.Duration(i) * time.Minute); len(used) != 1 || at.Before(minute) ||
				at.After(minute.Add(time.Minute)) {
				t.Errorf("write %d is %v", i, used)
			}
		}
	})
}

func TestUsesAreWrittenAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, s, secret := stocked()
		stop, _ := writing(t, d)
		at := time.Now()
		d.Key(t.Context(), secret)
		stop()
		if len(s.touched) != 1 || !s.touched[0]["key-1"].Equal(at) {
			t.Errorf("wrote %v", s.touched)
		}
	})
}
