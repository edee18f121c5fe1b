package onrc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"
)

const (
	// wake is how often the keeper looks at the wall clock, and at the directory
	// for what another process has loaded.
	wake = 30 * time.Second
	// lookEvery is the time between two looks for a new release: they come about
	// once a month, on no fixed day.
	lookEvery = 24 * time.Hour
	// firstRetry and lastRetry are the waits after failures in a row, of which each
	// is twice the one before.
	firstRetry = 5 * time.Minute
	lastRetry  = 6 * time.Hour
)

// Run keeps the register up to date until the context ends: it serves what is on
// disk at once, looks for a new release every day, takes or loads it beside the
// index that is served, changes over, and publishes. The caller starts it once, in
// a goroutine.
func (r *Register) Run(ctx context.Context) {
	var lookAt time.Time
	for {
		r.refresh()
		if now := r.now(); (r.portal != nil || r.depot != nil) && !now.Before(lookAt) {
			lookAt = r.now().Add(r.look(ctx))
		}
		r.offer(ctx)
		if pause(ctx, wake) != nil {
			return
		}
	}
}

// look looks for a release and takes or loads it if it is news. It returns when
// to look again.
func (r *Register) look(ctx context.Context) time.Duration {
	if r.depot != nil {
		err := r.take(ctx)
		if !r.givesUp(ctx, err) {
			return r.looked(ctx, err)
		}
		r.log.Warn("the published index of the trade register cannot be had; its releases are loaded here", "registry", name, "error", err)
	}
	return r.looked(ctx, r.loadNews(ctx))
}

// loadNews loads the portal's newest release if it is news.
func (r *Register) loadNews(ctx context.Context) error {
	o := Options{Portal: r.portal, Dir: r.dir, Progress: r.loading}
	found, err := o.release(ctx)
	if err != nil || !found.follows(r.summary()) {
		return err
	}
	if before := lastRefusal(r.dir); before.Origin == found.origin() {
		return fmt.Errorf("%w before and not fetched again: %s", ErrRefused, before.Reason)
	}
	return r.load(ctx, o, found)
}

// summary is that of the release that is served, nil before the first.
func (r *Register) summary() *Summary {
	if e := r.served.Load(); e != nil {
		return e.summary
	}
	return nil
}

func (r *Register) load(ctx context.Context, o Options, found *release) error {
	r.log.Info("loading a release of the trade register", "registry", name, "release", found.date)
	s, err := o.load(ctx, found)
	debug.FreeOSMemory() // a load needs far more than serving does
	if err != nil {
		return err
	}
	r.log.Info("the trade register is loaded", "registry", name, "release", s.Release, "companies", s.Companies, "took", s.Took,
		"dropped", s.Dropped, "warnings", s.Warnings)
	r.refresh()
	return nil
}

// looked notes how a look ended.
func (r *Register) looked(ctx context.Context, err error) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.Loading = false
	switch {
	case ctx.Err() != nil || errors.Is(err, ErrBusy):
		return firstRetry
	case err == nil || errors.Is(err, ErrCurrent):
		r.status.Looked, r.status.Err, r.status.Failures = r.now(), nil, 0
		return lookEvery + rand.N(time.Hour)
	}
	r.status.Err = err
	r.status.Failures++
	wait := min(firstRetry<<min(r.status.Failures-1, 10), lastRetry)
	switch {
	case errors.Is(err, ErrRefused):
		wait = lookEvery
	case errors.Is(err, errUnusable): // finding that out again may cost a download
		wait = lastRetry
	}
	r.log.Error("loading the trade register failed; what was served before still is", "registry", name, "error", err, "retry", wait)
	return wait
}

// loading notes how far a load has come.
func (r *Register) loading(p Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.Loading, r.status.Progress = true, p
}
