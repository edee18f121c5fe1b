package ration

import (
	"errors"
	"testing"
	"time"

	"github.com/rodata/rodata/upstream"
)

func TestPacer(t *testing.T) {
	const pace = time.Second
	start := time.Unix(1_000_000, 0)
	for name, c := range map[string]struct {
		do   func(p *pacer)
		at   time.Duration // after the start
		want time.Duration
	}{
		"the first call": {do: func(*pacer) {}, want: 0},
		"after a call":   {do: func(p *pacer) { p.start(start) }, want: pace},
		"after a while":  {do: func(p *pacer) { p.start(start) }, at: pace, want: 0},
		"beside two":     {do: func(p *pacer) { p.start(start); p.start(start) }, at: time.Minute, want: never},
		"after one that failed": {do: func(p *pacer) {
			p.start(start)
			p.end(start, broken(errors.New("a page")))
		}, want: pace},
		"after one not made": {do: func(p *pacer) {
			p.start(start)
			p.end(start, closedFailure(time.Minute, upstream.ErrNotSent))
		}, want: 0},
		"when asked to wait": {do: func(p *pacer) {
			p.start(start)
			p.end(start, closedFailure(time.Minute, errors.New("status 429")))
		}, want: time.Minute},
		"when asked to wait for less": {do: func(p *pacer) {
			p.start(start)
			p.end(start, closedFailure(time.Second/2, errors.New("status 429")))
		}, want: pace},
		"the ration says later": {do: func(p *pacer) { p.applyRation(start, pace, 3, 5*time.Second, nil) },
			want: 5 * time.Second},
		"the ration is away, after the first": {do: func(p *pacer) {
			p.pace = 3 * pace
			p.applyRation(start, pace, 3, 0, errAway)
			p.start(start)
		}, want: 3 * pace},
		"the ration is back: the pace is again": {do: func(p *pacer) {
			p.pace = 3 * pace
			p.applyRation(start, pace, 3, 0, nil)
			p.start(start)
		}, want: pace},
	} {
		t.Run(name, func(t *testing.T) {
			p := &pacer{pace: pace}
			c.do(p)
			if got := max(0, p.wait(start.Add(c.at))); got != c.want {
				t.Errorf("wait %s, want %s", got, c.want)
			}
		})
	}
}
