package api

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/metering"
)

// noRemote is a server of shared buckets that is down.
type noRemote struct{}

func (noRemote) Take(context.Context, []metering.RemoteBucket, int) (int, time.Duration, error) {
	return 0, 0, errors.New("down")
}

func (noRemote) Forget(context.Context, []metering.RemoteBucket) error { return nil }

// A caller with an empty bucket who waits for the time in Retry-After is served, however large the call is.
func TestWaitingAsToldIsEnough(t *testing.T) {
	for _, edges := range []int{0, 1, 3} {
		for _, items := range []int{1, 100, 101, 1000} {
			t.Run(fmt.Sprintf("%d edges without shared buckets, %d items", edges, items), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					x := newCounter(t, metering.Unlimited)
					x.Plans[2].Rate = metering.PerSecond(2, 12)
					x.Buckets = metering.NewBuckets()
					if edges > 0 {
						x.Fleet = metering.NewFleetBuckets(noRemote{}, x.Buckets, edges)
					}

					body := `{"taxIds":[` + strings.Repeat("9900000010,", items-1) + "9900000010]}"
					for range 30 {
						x.post(t, `{"taxIds":[9900000010]}`)
					}

					refused := x.post(t, body)
					if refused.Status != 429 || refused.RetrySeconds() == 0 {
						t.Fatalf("got %d after %d s", refused.Status, refused.RetrySeconds())
					}

					<-time.After(time.Duration(refused.RetrySeconds()) * time.Second)
					served := x.post(t, body)
					if served.Status != 200 {
						t.Errorf("after %d s: %d, retry after %d s", refused.RetrySeconds(), served.Status,
							served.RetrySeconds())
					}

					// The next one has too few further tokens, unless it is small.
					refused = x.post(t, body)
					<-time.After(time.Duration(refused.RetrySeconds()) * time.Second)
					if refused.Status == 429 && x.post(t, body).Status != 200 {
						t.Errorf("again after %d s: refused", refused.RetrySeconds())
					}
				})
			})
		}
	}
}
