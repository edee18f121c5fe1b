package vies

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/vat"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

// germans returns count German numbers, starting at one. The register does not check their digits; the operations do.
func germans(from, count int) (questions []vat.Question) {
	for i := range count {
		questions = append(questions, vat.Question{Number: ro.VATNumber(fmt.Sprintf("DE%09d", from+i))})
	}
	return questions
}

// checkAll returns the number of valid numbers, and the errors for the others.
func checkAll(ctx context.Context, r *Register, questions []vat.Question) (valid int, failed []error) {
	r.CheckAll(ctx, questions, 20*time.Second, func(found []vat.Found) bool {
		for _, f := range found {
			if f.Err != nil {
				failed = append(failed, f.Err)
			} else if f.Answer.Value.Status == vat.Valid {
				valid++
			}
		}

		return true
	})
	return valid, failed
}

// from returns a context of a caller without a key.
func from(t *testing.T, address string) context.Context {
	return op.WithCaller(t.Context(), account.Caller{Address: netip.MustParseAddr(address)})
}

// A batch for a slow state continues to its end. If a result was not known in time, the next call finds it, and the
// breaker stays closed.
func TestSlowStateIsAskedToTheEnd(t *testing.T) {
	for _, takes := range []time.Duration{time.Second, 5 * time.Second} {
		within(t, func(t *testing.T, r *Register, s *standIn) {
			s.takes = takes
			valid, failed := checkAll(by(t, ""), r, germans(1, 100))
			if valid+len(failed) != 100 || len(failed) == 0 {
				t.Errorf("%d valid, %d failed", valid, len(failed))
			}

			for _, err := range failed {
				if f := failure(t, err); f.Kind != op.TimedOut || reasonOf(err) != vat.Timeout {
					t.Errorf("%v because of %s", err, reasonOf(err))
				}
			}

			<-time.After(100 * takes / maxConcurrent)
			if state := r.lanes.of["DE"].breaker.State(); state != upstream.BreakerClosed {
				t.Errorf("the breaker is %s", state)
			}

			start := time.Now()
			if valid, _ := checkAll(by(t, ""), r, germans(1, 100)); valid != 100 || s.count() != 100 ||
				time.Since(start) > time.Second {
				t.Errorf("then %d valid after %d questions and %s", valid, s.count(), time.Since(start))
			}
		})
	}
}

// A caller with many questions delays another caller by one turn, and cannot fill the queue for others.
func TestCallersTakeTurns(t *testing.T) {
	within(t, func(t *testing.T, r *Register, s *standIn) {
		s.takes = time.Second
		for i := range 3 {
			go checkAll(from(t, "192.0.2.1"), r, germans(1+100*i, 100))
			synctest.Wait()
		}

		_, err := r.Check(from(t, "192.0.2.1"), germans(1000, 1)[0])
		if f := failure(t, err); !errors.Is(err, errFull) || reasonOf(err) != vat.QueueFull || f.RetryAfter <= 0 {
			t.Errorf("the question after the caller's share: %v, because of %s", err, reasonOf(err))
		}

		start := time.Now()
		if _, err := r.Check(from(t, "198.51.100.1"), germans(2000, 1)[0]); err != nil ||
			time.Since(start) > 3*time.Second {
			t.Errorf("another caller: %v after %s", err, time.Since(start))
		}

		<-time.After(2 * time.Minute)
	})
}

// After a busy answer the whole lane pauses, so that a batch does not become hundreds of questions. A busy answer of
// VIES as a whole pauses all lanes.
func TestBusyLanePauses(t *testing.T) {
	for code, states := range map[string]int{"MS_MAX_CONCURRENT_REQ": 1, "GLOBAL_MAX_CONCURRENT_REQ": 2,
		"SERVICE_UNAVAILABLE": 2} {
		t.Run(code, func(t *testing.T) {
			within(t, func(t *testing.T, r *Register, s *standIn) {
				s.fail("DE", code)
				go r.Check(by(t, ""), germans(1000, 1)[0])
				<-time.After(200 * time.Millisecond)
				start := time.Now()
				status(t, r, austrian)
				if paused := time.Since(start) > 200*time.Millisecond; paused != (states > 1) {
					t.Errorf("another state took %s", time.Since(start))
				}

				_, failed := checkAll(by(t, ""), r, germans(1, 100))
				if n := s.count(); len(failed) != 100 || n > 20 {
					t.Errorf("%d failed after %d questions", len(failed), n)
				}

				s.say("DE", "")
				<-time.After(2 * time.Minute)
				if code != "SERVICE_UNAVAILABLE" && r.lanes.of["DE"].breaker.State() != upstream.BreakerClosed {
					t.Error("the breaker is not closed")
				}
			})
		})
	}
}

// An answer that arrives during a pause, to a question sent before it, clears neither the pause nor its reason.
func TestLateAnswerKeepsThePause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lane turns
		busy := &cause{reason: vat.VIESBusy}
		lane.backOff(busy)
		lane.resetPause()
		if got := lane.pausedBy(); !errors.Is(got, busy) || lane.slots() != 1 {
			t.Errorf("during the pause: %d slots, paused by %v", lane.slots(), got)
		}

		<-time.After(2 * firstPause)
		lane.resetPause()
		if got := lane.pausedBy(); got != nil || lane.slots() != maxConcurrent {
			t.Errorf("after the pause: %d slots, paused by %v", lane.slots(), got)
		}
	})
}

// After VIES has blocked our address, no state is queried for a minute.
func TestBlockIsLearnedOnce(t *testing.T) {
	within(t, func(t *testing.T, r *Register, s *standIn) {
		s.fail("DE", "IP_BLOCKED")
		for _, n := range []ro.VATNumber{german, austrian, "FR46688637511"} {
			if _, err := ask(t, r, "", n, ""); reasonOf(err) != vat.VIESBlocked {
				t.Errorf("%s: %v", n, err)
			}
		}

		if n := s.count(); n != 1 {
			t.Errorf("the registry was asked %d times: %v", n, s.asked)
		}

		<-time.After(downPause)
		if got := status(t, r, austrian); got != vat.Valid {
			t.Errorf("a minute later %s", got)
		}
	})
}

// The reason comes from the number's own look-up, or from the failure that opened the breaker.
func TestReasons(t *testing.T) {
	within(t, func(t *testing.T, r *Register, s *standIn) {
		s.invalid(german)
		status(t, r, german)
		<-time.After(2 * time.Hour)
		s.say("DE", `<html>`)
		for range 6 { // the sixth finds the breaker open
			c, err := ask(t, r, "", german, "")
			if err != nil || c.Status != vat.Unknown || *c.Reason != vat.OtherError {
				t.Errorf("%+v: %v", c, err)
			}
		}

		_, err := ask(t, r, "", "DE811569869", "")
		if !errors.Is(err, upstream.ErrNotSent) || reasonOf(err) != vat.OtherError {
			t.Errorf("%v because of %s", err, reasonOf(err))
		}
	})
}

// An answer "not valid" that names an error is that error.
func TestAnErrorIsNotInvalid(t *testing.T) {
	within(t, func(t *testing.T, r *Register, s *standIn) {
		const answer = `{"countryCode":"DE","vatNumber":"445947920","valid":false,"userError":%q}`
		for code, invalid := range map[string]bool{"MS_UNAVAILABLE": false, "IP_BLOCKED": false, "NEW": false,
			"INVALID": true, "": true} {
			s.say("DE", fmt.Sprintf(answer, code))
			v, err := NewClient(s).Check(t.Context(), Question{Number: german})
			if invalid != (err == nil && !v.Valid) {
				t.Errorf("%s: %+v, %v", code, v, err)
			}
		}
	})
}

// While a breaker is open, callers have their answer at once: the last known one, or that there is none.
func TestAnOpenBreakerAnswersAtOnce(t *testing.T) {
	for _, code := range []string{"MS_UNAVAILABLE", "TIMEOUT", "SERVICE_UNAVAILABLE"} {
		within(t, func(t *testing.T, r *Register, s *standIn) {
			status(t, r, german)
			<-time.After(2 * time.Hour)
			s.fail("DE", code)
			for i := 0; r.lanes.of["DE"].breaker.State() != upstream.BreakerOpen; i++ {
				if i == 10 {
					t.Fatalf("%s never opens the breaker", code)
				}
				ask(t, r, "", "DE811569869", "")
			}

			began, asked := time.Now(), s.count()
			if c, err := ask(t, r, "", german, ""); err != nil || c.Status == vat.Invalid {
				t.Errorf("%s: %+v, %v", code, c, err)
			}
			if c, err := ask(t, r, "", "DE811569869", ""); !errors.Is(err, upstream.ErrNotSent) {
				t.Errorf("%s: %+v, %v", code, c, err)
			}
			if took := time.Since(began); took > 0 || s.count() != asked {
				t.Errorf("%s: answered after %s and %d questions", code, took, s.count()-asked)
			}
		})
	}
}

// While a state is slow but not down, callers wait for its answer and get no old answer.
func TestSlowIsNotDown(t *testing.T) {
	within(t, func(t *testing.T, r *Register, s *standIn) {
		status(t, r, german)
		<-time.After(2 * 24 * time.Hour)
		s.takes = 8 * time.Second
		if c, err := ask(t, r, "", german, ""); err != nil || c.Sources[0].Stale || s.count() != 2 {
			t.Errorf("%+v: %v", c, err)
		}
	})
}

// A panic fails one number only, and a list ends as soon as its last number is known.
func TestListSurvivesAPanic(t *testing.T) {
	within(t, func(t *testing.T, r *Register, s *standIn) {
		start := time.Now()
		questions := []vat.Question{{Number: "XX1"}, {Number: german}}
		if valid, failed := checkAll(by(t, ""), r, questions); valid != 1 || len(failed) != 1 ||
			time.Since(start) != s.takes {
			t.Errorf("%d valid, %v after %s", valid, failed, time.Since(start))
		}
	})
}

// VIES is down if the breakers of all recently queried states are open.
func TestAllStatesDownIsVIESDown(t *testing.T) {
	within(t, func(t *testing.T, r *Register, s *standIn) {
		for i, n := range []ro.VATNumber{german, austrian} {
			s.fail(n.State(), "MS_UNAVAILABLE")
			_, err := ask(t, r, "", n, "")
			failure(t, err)
			if got := r.lanes.Status(); got.Down != (i == 1) || (got.Breaker == upstream.BreakerOpen) != got.Down {
				t.Errorf("with %d states down: down %t, breaker %s", i+1, got.Down, got.Breaker)
			}
		}

		s.say("HU", "")
		status(t, r, "HU39062659")
		if r.lanes.Status().Down {
			t.Error("a state answers")
		}
	})
}
