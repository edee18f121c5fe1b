package ration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

// bisect simulates calls for companies 0 to n until all are settled, without a clock. Calls that contain poison fail
// with the cause.
func bisect(t *testing.T, s *bisector, n int, cause error, poison ...ro.CUI) (calls int, failed []ro.CUI) {
	t.Helper()
	now := time.Unix(0, 0)
	var q batcher
	for cui := range ro.CUI(n) {
		q.push(queued(cui, 1, interactive))
	}

	for answered := 0; answered+len(failed) < n; calls++ {
		if calls > 10*n {
			t.Fatalf("no end after %d calls: %d answered, %v failed", calls, answered, failed)
		}

		var b batch
		if len(s.groups) > 0 && (s.healthy || q[again].length == 0) {
			b = s.next()
		} else {
			b = q.ordinary()
			b.excused = s.healthy && !b.ordinary()
		}

		var d decision
		if slices.ContainsFunc(numbers(b.companies()), func(cui ro.CUI) bool { return slices.Contains(poison, cui) }) {
			d = s.afterFailure(b, broken(cause), now)
		} else {
			answered += b.len()
			d = s.afterSuccess(b, now)
		}

		for _, r := range d.final {
			failed = append(failed, r.company.CUI)
		}

		for _, r := range d.again {
			q.pushAs(again, r)
		}

		for _, r := range d.alone {
			q.pushAs(alone, r)
		}
	}

	slices.Sort(failed)
	return calls, failed
}

func TestBisectorFindsPoison(t *testing.T) {
	for name, cause := range map[string]error{"rejected": upstream.ErrRejected, "malformed": errors.New("a page"),
		"reset": upstream.ErrConnection} {
		for _, c := range []struct {
			companies int
			poison    []ro.CUI
			calls     int // at most
		}{
			{companies: 100, calls: 1},
			{companies: 100, poison: []ro.CUI{0}, calls: 16},
			{companies: 100, poison: []ro.CUI{57}, calls: 16},
			{companies: 100, poison: []ro.CUI{99}, calls: 16},
			{companies: 100, poison: []ro.CUI{3, 80}, calls: 32},
			{companies: 16, poison: []ro.CUI{3, 4, 5}, calls: 32},
			{companies: 2, poison: []ro.CUI{1}, calls: 6},
		} {
			t.Run(fmt.Sprint(name, " ", c.poison, " of ", c.companies), func(t *testing.T) {
				s := &bisector{healthy: true}
				calls, failed := bisect(t, s, c.companies, cause, c.poison...)
				if !slices.Equal(failed, c.poison) || calls > c.calls {
					t.Errorf("%v failed after %d calls, want %v after at most %d", failed, calls, c.poison, c.calls)
				}

				for _, cui := range c.poison[:min(1, len(c.poison))] { // the last one may fail in a separate call
					if !s.isQuarantined(today(cui), time.Unix(0, 0)) ||
						s.isQuarantined(today(cui), time.Unix(0, 0).Add(quarantineFor)) {
						t.Errorf("%s is not in quarantine for %s", cui, quarantineFor)
					}
				}

				if len(s.quarantine) > len(c.poison) || s.len() != 0 {
					t.Errorf("in quarantine: %v; %d suspects are left", s.quarantine, s.len())
				}
			})
		}
	}
}

func TestBisectorDecisions(t *testing.T) {
	one, two, popular := queued(1, 1, interactive), queued(2, 1, interactive), queued(3, 0, ahead)
	closing := closedFailure(time.Second, errors.New("status 429"))
	for name, c := range map[string]struct {
		batch    batch
		err      error
		want     decision
		suspects int
		healthy  bool
	}{
		"asked to wait": {batch{others: []*request{one, two}}, closing,
			decision{final: []*request{one, two}}, 0, false},
		"cancelled": {batch{others: []*request{one, two}}, broken(context.Canceled),
			decision{final: []*request{one, two}}, 0, true},
		"malformed, several": {batch{others: []*request{one, two}}, broken(errors.New("a page")),
			decision{split: true}, 2, false},
		"malformed, one": {batch{others: []*request{one}}, broken(errors.New("a page")),
			decision{final: []*request{one}}, 0, false},
		"reset, one": {batch{others: []*request{one}}, broken(upstream.ErrConnection),
			decision{}, 1, false},
		"malformed, with one ahead": {batch{others: []*request{one, popular}}, broken(errors.New("a page")),
			decision{final: []*request{popular}}, 1, false},
		"malformed, one ahead alone": {batch{others: []*request{popular}}, broken(errors.New("a page")),
			decision{final: []*request{popular}}, 0, true},
		"a probe, asked to wait": {batch{probe: []*request{one}, rest: []*request{two}}, closing,
			decision{again: []*request{two}, final: []*request{one}}, 0, true},
		"a probe of the last suspect": {batch{probe: []*request{one}, rest: []*request{two}},
			broken(upstream.ErrRejected), decision{again: []*request{two}, final: []*request{one}}, 0, true},
		"a probe of one, with another": {batch{probe: []*request{one}, others: []*request{two}},
			broken(upstream.ErrRejected), decision{again: []*request{two}, alone: []*request{one}}, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := &bisector{healthy: true}
			got := s.afterFailure(c.batch, c.err, time.Unix(0, 0))
			same := slices.Equal(got.again, c.want.again) && slices.Equal(got.alone, c.want.alone) &&
				slices.Equal(got.final, c.want.final)
			if !same || got.split != c.want.split {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if s.len() != c.suspects || s.healthy != c.healthy {
				t.Errorf("%d suspects, healthy %t; want %d, %t", s.len(), s.healthy, c.suspects, c.healthy)
			}

			for _, r := range slices.Collect(s.all()) {
				s.remove(r)
			}
			if s.len() != 0 || len(s.groups) != 0 {
				t.Errorf("%d suspects are left", s.len())
			}
		})
	}
}
