package vies

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/vat"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// A valid answer is fresh for a day, an invalid one for an hour.
func TestLifetimes(t *testing.T) {
	within(t, func(t *testing.T, r *Register, s *standIn) {
		s.invalid(german)
		ask(t, r, "", german, "")
		ask(t, r, "", austrian, "")
		for _, step := range []struct {
			after time.Duration
			n     ro.VATNumber
			asks  int
		}{
			{50 * time.Minute, german, 0}, {20 * time.Minute, german, 1}, {0, austrian, 0},
			{20 * time.Hour, austrian, 0}, {6 * time.Hour, austrian, 1},
		} {
			<-time.After(step.after)
			before := s.count()
			want := vat.Valid
			if step.n == german {
				want = vat.Invalid
			}
			if got := status(t, r, step.n); got != want || s.count()-before != step.asks {
				t.Errorf("%s after %s: %s, asked %d times, want %d", step.n, step.after, got,
					s.count()-before, step.asks)
			}
		}
	})
}

// No failure makes an answer say that a number is invalid.
func TestFailuresAreNeverInvalid(t *testing.T) {
	tests := map[string]struct {
		body   string
		kind   op.FailureKind
		reason vat.Reason
		part   string
	}{
		"member state down": {failed("MS_UNAVAILABLE"), op.Closed, vat.MemberStateUnavailable, "Germany"},
		"VIES down":         {failed("SERVICE_UNAVAILABLE"), op.Closed, vat.VIESUnavailable, ""},
		"timeout":           {failed("TIMEOUT"), op.TimedOut, vat.Timeout, "Germany"},
		"number blocked":    {failed("VAT_BLOCKED"), op.Closed, vat.VIESBlocked, ""},
		"address blocked":   {failed("IP_BLOCKED"), op.Closed, vat.VIESBlocked, ""},
		"VIES busy":         {failed("GLOBAL_MAX_CONCURRENT_REQ"), op.Closed, vat.VIESBusy, ""},
		"VIES busy long":    {failed("GLOBAL_MAX_CONCURRENT_REQ_TIME"), op.Closed, vat.VIESBusy, ""},
		"state busy":        {failed("MS_MAX_CONCURRENT_REQ"), op.Closed, vat.VIESBusy, "Germany"},
		"state busy long":   {failed("MS_MAX_CONCURRENT_REQ_TIME"), op.Closed, vat.VIESBusy, "Germany"},
		"unheard of":        {failed("NEW"), op.Broken, vat.OtherError, "Germany"},
		"no reason":         {`{"actionSucceed":false,"errorWrappers":[]}`, op.Broken, vat.OtherError, "Germany"},
		"neither": {`{"countryCode":"DE","vatNumber":"445947920","name":"---"}`, op.Broken,
			vat.OtherError, "Germany"},
		"another number": {`{"countryCode":"DE","vatNumber":"1","valid":false}`, op.Broken, vat.OtherError, "Germany"},
		"a page":         {`<html>`, op.Broken, vat.OtherError, "Germany"},
		"no answer":      {`hang`, op.TimedOut, vat.Timeout, "Germany"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			within(t, func(t *testing.T, r *Register, s *standIn) {
				s.say("DE", test.body)
				start := time.Now()
				c, err := ask(t, r, "", german, "")
				f := failure(t, err)
				if c != nil || f.Registry != Name || f.Kind != test.kind || f.Part != test.part || f.RetryAfter <= 0 ||
					reasonOf(err) != test.reason {
					t.Errorf("%+v, kind %d of %q after %s, because of %s", c, f.Kind, f.Part, f.RetryAfter,
						reasonOf(err))
				}

				if took := time.Since(start); took > patience {
					t.Errorf("took %s", took)
				}

				s.say("DE", "") // none of it is stored
				<-time.After(time.Minute)
				if got := status(t, r, german); got != vat.Valid {
					t.Errorf("then %s", got)
				}
			})
		})
	}
}

// The refusals of VIES are distinguished, and do not open a breaker.
func TestRefusals(t *testing.T) {
	within(t, func(t *testing.T, r *Register, s *standIn) {
		for code, want := range map[string]error{"INVALID_INPUT": vat.ErrNumberRefused,
			"INVALID_REQUESTER_INFO": vat.ErrRequesterRefused} {
			s.fail("DE", code)
			for range 6 {
				if _, err := ask(t, r, "", german, requester); !errors.Is(err, want) {
					t.Errorf("%s is %v", code, err)
				}
			}
		}

		s.say("DE", "")
		if got := status(t, r, german); got != vat.Valid {
			t.Errorf("then %s", got)
		}
	})
}

// A refused requester is cached, but only for that account.
func TestRefusedRequesterIsRemembered(t *testing.T) {
	within(t, func(t *testing.T, r *Register, s *standIn) {
		s.fail("DE", "INVALID_REQUESTER_INFO")
		for range 3 {
			if _, err := ask(t, r, "acc_1", german, requester); !errors.Is(err, vat.ErrRequesterRefused) {
				t.Error(err)
			}
		}

		if n := s.count(); n != 1 {
			t.Errorf("the registry was asked %d times", n)
		}

		s.say("DE", "")
		<-time.After(2 * time.Hour)
		if c, err := ask(t, r, "acc_1", german, requester); err != nil || c.ConsultationNumber == nil {
			t.Errorf("two hours later %+v: %v", c, err)
		}
	})
}

// Questions rejected as too many are retried after growing pauses, and do not open a breaker.
func TestBusyIsAskedAgain(t *testing.T) {
	within(t, func(t *testing.T, r *Register, s *standIn) {
		s.fail("DE", "MS_MAX_CONCURRENT_REQ")
		go func() {
			<-time.After(4 * time.Second)
			s.say("DE", "")
		}()
		if got := status(t, r, german); got != vat.Valid || s.count() < 3 || s.count() > 5 {
			t.Errorf("%s after %d questions", got, s.count())
		}
		if state := r.lanes.of["DE"].breaker.State(); state != "closed" {
			t.Errorf("the breaker is %s", state)
		}
	})
}

// While a state is down, a valid answer is returned with its age for a week, and after that as the last known one. An
// invalid answer is never returned again.
func TestStale(t *testing.T) {
	within(t, func(t *testing.T, r *Register, s *standIn) {
		s.invalid(german)
		status(t, r, german)
		status(t, r, austrian)
		s.fail("DE", "MS_UNAVAILABLE")
		s.fail("AT", "MS_UNAVAILABLE")
		for _, step := range []struct {
			after time.Duration
			n     ro.VATNumber
			want  vat.VATStatus
			known vat.VATStatus
		}{
			{2 * time.Hour, german, vat.Unknown, vat.Invalid},
			{2 * 24 * time.Hour, austrian, vat.Valid, ""},
			{6 * 24 * time.Hour, austrian, vat.Unknown, vat.Valid},
		} {
			<-time.After(step.after)
			c, err := ask(t, r, "", step.n, "")
			testkit.NoError(t, err)

			switch {
			case c.Status != step.want:
				t.Errorf("%s after %s: %s, want %s", step.n, step.after, c.Status, step.want)
			case step.known == "":
				if !c.Sources[0].Stale || c.Sources[0].RetrievedAt == nil || c.LastKnown != nil {
					t.Errorf("%s after %s: source %+v", step.n, step.after, c.Sources[0])
				}
			case c.LastKnown == nil || c.LastKnown.Status != step.known || c.Reason == nil ||
				*c.RetryAfterSeconds <= 0 || c.RequestDate != nil || c.Name != nil:
				t.Errorf("%s after %s: %+v", step.n, step.after, c)
			case *c.Reason != vat.MemberStateUnavailable:
				t.Errorf("%s because of %s", step.n, *c.Reason)
			}

			synctest.Wait()
		}

		<-time.After(40 * 24 * time.Hour) // without a stored answer
		if c, err := ask(t, r, "", austrian, ""); err == nil {
			t.Errorf("after 40 days: %+v", c)
		}
	})
}

// Concurrent callers share the same question. Answers for a requester are not shared with other accounts.
func TestSharing(t *testing.T) {
	within(t, func(t *testing.T, r *Register, s *standIn) {
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { ask(t, r, "", german, "") })
			all.Go(func() { ask(t, r, "acc_1", german, requester) })
			all.Go(func() { ask(t, r, "acc_2", german, requester) })
			all.Go(func() {
				if c, err := ask(t, r, "", german, requester); err != nil || c.ConsultationNumber == nil {
					t.Errorf("without an account %+v: %v", c, err)
				}
			})
		}

		all.Wait()
		if n := s.count(); n != 4 {
			t.Errorf("the registry was asked %d times: %v", n, s.asked)
		}

		ask(t, r, "", german, requester) // not stored: there is no account
		if n := s.count(); n != 5 {
			t.Errorf("the registry was asked %d times: %v", n, s.asked)
		}

		c, err := ask(t, r, "acc_1", german, requester)
		if err != nil || c.ConsultationNumber == nil || *c.ConsultationNumber != "WAPI1" ||
			*c.Requester != requester || s.count() != 5 {
			t.Errorf("%+v: %v", c, err)
		}
		if c, err = ask(t, r, "", german, ""); err != nil || c.ConsultationNumber != nil || c.Requester != nil ||
			*c.Name != "NĂSCOCIT" || c.Address != nil {
			t.Errorf("%+v: %v", c, err)
		}
	})
}

// A requester without a stored answer gets the shared stored answer as the last known one, with the reason, free of
// charge.
func TestRequesterWhileDown(t *testing.T) {
	within(t, func(t *testing.T, r *Register, s *standIn) {
		status(t, r, german)
		s.fail("DE", "MS_UNAVAILABLE")
		for _, owner := range []string{"acc_1", ""} {
			c, err := ask(t, r, owner, german, requester)
			if err != nil || c.Status != vat.Unknown || c.LastKnown == nil || c.LastKnown.Status != vat.Valid ||
				c.Requester != nil || c.ConsultationNumber != nil {
				t.Fatalf("%q: %+v: %v", owner, c, err)
			}
			if *c.Reason != vat.MemberStateUnavailable || *c.RetryAfterSeconds <= 0 {
				t.Errorf("%q: %s, again after %d s", owner, *c.Reason, *c.RetryAfterSeconds)
			}
		}

		_, err := ask(t, r, "acc_1", "DE811569869", requester)
		failure(t, err)
	})
}

// If the time of a list is over, a requester gets the same answer as from a single call.
func TestRequesterOfAListThatEnds(t *testing.T) {
	within(t, func(t *testing.T, r *Register, s *standIn) {
		status(t, r, german)
		s.say("DE", "hang")
		questions := []vat.Question{{Number: german, Requester: requester}}
		r.CheckAll(by(t, "acc_1"), questions, 2*time.Second, func(found []vat.Found) bool {
			for _, f := range found {
				if f.Err != nil || f.Answer.Value.Status != vat.Unknown || f.Answer.Value.LastKnown == nil ||
					*f.Answer.Value.Reason != vat.Timeout {
					t.Errorf("%+v: %v", f.Answer.Value, f.Err)
				}
			}

			return true
		})
	})
}

// At most two numbers of a state are checked concurrently. A hanging number does not delay other states.
func TestLanes(t *testing.T) {
	within(t, func(t *testing.T, r *Register, s *standIn) {
		s.say("DE", "hang")
		start := time.Now()
		var questions []vat.Question
		for _, n := range []ro.VATNumber{"DE445947920", "DE811569869", "DE707168238", "ATU89089584", "ATU35156111",
			"FR46688637511", "HU39062659", "HU78400690", "IT79889300715"} {
			questions = append(questions, vat.Question{Number: n})
		}

		valid, unknown := 0, 0
		r.CheckAll(by(t, ""), questions, 2*time.Second, func(found []vat.Found) bool {
			for _, f := range found {
				if f.Err == nil && f.Answer.Value.Status == vat.Valid {
					valid++
					if time.Since(start) > 500*time.Millisecond {
						t.Errorf("%s took %s", f.Answer.Value.VATNumber, time.Since(start))
					}
				} else if fail := failure(t, f.Err); fail.Kind == op.TimedOut &&
					strings.Contains(fail.Part, "Germany") {
					unknown++
				}
			}

			return true
		})
		if valid != 6 || unknown != 3 || time.Since(start) > 2100*time.Millisecond {
			t.Errorf("%d valid, %d unknown after %s", valid, unknown, time.Since(start))
		}
	})
}

// A question is not sent once its callers have left.
func TestAbandoned(t *testing.T) {
	within(t, func(t *testing.T, r *Register, s *standIn) {
		s.say("DE", "hang")
		for _, n := range []ro.VATNumber{"DE811569869", "DE707168238"} {
			go ask(t, r, "", n, "")
		}

		synctest.Wait()
		ctx, cancel := context.WithCancel(by(t, ""))
		go func() {
			<-time.After(time.Second)
			cancel()
		}()
		start := time.Now()
		if _, err := r.Check(ctx, vat.Question{Number: german}); err == nil ||
			time.Since(start) > 1100*time.Millisecond {
			t.Errorf("%v after %s", err, time.Since(start))
		}

		<-time.After(time.Minute)
		if n := s.count(); n != 2 {
			t.Errorf("the registry was asked %d times: %v", n, s.asked)
		}
	})
}

// The state of VIES names the member states that are down: according to VIES, or to their breakers.
func TestStatus(t *testing.T) {
	within(t, func(t *testing.T, r *Register, s *standIn) {
		if got := r.lanes.Status(); got.Down || got.States[5].Known || len(got.States) != 28 {
			t.Errorf("at first %+v", got)
		}

		s.status = `{"vow":{"available":true},"countries":[{"countryCode":"DE","availability":"Unavailable"},{"countryCode":"AT","availability":"Available"},{"countryCode":"FR","availability":"Monitoring Disabled"}]}`
		if pause := r.lanes.status.poll(t.Context()); pause != pollEvery {
			t.Errorf("the next request is after %s", pause)
		}

		s.fail("HU", "MS_UNAVAILABLE")
		for _, n := range []ro.VATNumber{"HU39062659", "HU78400690"} {
			_, err := ask(t, r, "", n, "")
			failure(t, err)
		}

		want := map[ro.MemberState]StateStatus{
			"DE": {"DE", true, true, "closed"}, "AT": {"AT", true, false, "closed"},
			"FR": {"FR", false, false, "closed"}, "HU": {"HU", true, true, "open"},
		}
		for _, got := range r.lanes.Status().States {
			if w, named := want[got.State]; named && got != w {
				t.Errorf("%+v, want %+v", got, w)
			}
		}

		s.status = `{"vow":{"available":false},"countries":[]}`
		r.lanes.status.poll(t.Context())
		if !r.lanes.Status().Down {
			t.Error("VIES is not down")
		}

		s.status = `<html>`
		if pause := r.lanes.status.poll(t.Context()); pause != pollAgain {
			t.Errorf("the next request is after %s", pause)
		}
	})
}

// A stored number is a hit like any other.
func BenchmarkHit(b *testing.B) {
	c, err := cache.Open(cache.Options{})
	testkit.NoError(b, err)
	defer c.Close()

	s := &standIn{says: map[ro.MemberState]string{}, atOnce: map[ro.MemberState]int{}}
	r := NewRegister(c, NewLanes(Options{Client: NewClient(s)}))
	q := vat.Question{Number: german}
	if _, err := r.Check(b.Context(), q); err != nil {
		b.Fatal(err)
	}

	b.ReportAllocs()
	for b.Loop() {
		if answer, err := r.Check(b.Context(), q); err != nil || answer.Document == nil {
			b.Fatal(err)
		}
	}
}
