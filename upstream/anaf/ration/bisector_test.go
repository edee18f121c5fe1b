package ration

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/upstream"
)

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
