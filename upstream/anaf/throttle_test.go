package anaf

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// Work pauses for its own duration, if it took at least a stretch and the caller has not left.
func TestThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		pause := throttle(ctx)
		for _, c := range []struct {
			left         bool
			worked, want time.Duration
		}{
			{false, stretch / 2, 0},
			{false, stretch / 2, stretch}, // together with the previous half
			{false, 3 * stretch, 3 * stretch},
			{false, stretch / 2, 0},
			{true, 3 * stretch, 0},
		} {
			if c.left {
				leave()
			}

			time.Sleep(c.worked) // on the fake clock
			began := time.Now()
			pause()
			if paused := time.Since(began); paused != c.want {
				t.Errorf("after %v of work it pauses %v, want %v", c.worked, paused, c.want)
			}
		}
	})
}

// BenchmarkAnswer parses an answer about a hundred companies, without pauses.
func BenchmarkAnswer(b *testing.B) {
	var companies []map[string]any
	for i := range MaxBatch {
		companies = append(companies, company(invented(i+1)))
	}

	body := []byte(found(companies))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decode[element](200, body, func() {}); err != nil {
			b.Fatal(err)
		}
	}
}
