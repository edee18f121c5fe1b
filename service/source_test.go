package service

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/onrc"
)

// The tax authority is down while its breaker is open, and before its first answer if a call has failed.
func TestStateFollowsTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tax := &taxAuthority{breaker: upstream.NewBreaker("anaf",
			upstream.BreakerSettings{Failures: 2, OpenFor: time.Minute})}
		answer := errors.New("refused")
		ask := upstream.Guard(tax.breaker, func(context.Context, int) (int, error) { return 0, answer })
		check := func(state string, breaker upstream.BreakerState, success bool) {
			t.Helper()
			got := tax.status()
			if got.State != state || got.Breaker != string(breaker) || (got.LastSuccess != nil) != success ||
				got.DataTime.IsZero() == success {
				t.Errorf("got %+v, want %s and %s", got, state, breaker)
			}
		}
		check("unknown", upstream.BreakerClosed, false)
		ask(t.Context(), 1)
		check("down", upstream.BreakerClosed, false)
		ask(t.Context(), 1)
		check("down", upstream.BreakerOpen, false)
		<-time.After(61 * time.Second)
		check("down", upstream.BreakerHalfOpen, false)
		answer = nil
		ask(t.Context(), 1)
		check("ok", upstream.BreakerClosed, true)
		answer = errors.New("refused")
		ask(t.Context(), 1)
		check("ok", upstream.BreakerClosed, true)
	})
}

func TestNothingOfTheTradeRegister(t *testing.T) {
	portal, err := onrc.NewPortal(onrc.PortalOptions{Options: upstream.Options{URL: "http://127.0.0.1:9"}})
	testkit.NoError(t, err)

	trade := &tradeRegister{Register: onrc.Open(onrc.RegisterOptions{Dir: t.TempDir()}), portal: portal}
	if got, want := trade.status(), (telemetry.Source{SourceStatus: system.SourceStatus{Name: "onrc",
		State: "unknown", Breaker: "closed"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
