package onrc

import (
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// Status describes the loading of the register.
type Status struct {
	// Release is the day of the served release, or zero before the first load. Companies is the number of its
	// companies, and Loaded the time of the load.
	Release   ro.Date
	Companies int64
	Loaded    time.Time
	// Loading is true while a load is running; Progress is its progress.
	Loading  bool
	Progress Progress
	// Checked is the time of the last successful check for a new release.
	Checked time.Time
	// Err is the reason for the failure of the last check or load. It is nil after a success. Failures counts
	// consecutive failures. ErrRefused requires an operator.
	Err      error
	Failures int
	// InstallErr is the reason why the published index could not be installed at the last check. PublishErr is the
	// reason why the served index could not be published. They are nil otherwise.
	InstallErr, PublishErr error
}

// Status returns the current state of the loading.
func (r *Register) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()

	s := r.status
	if served := r.summary(); served != nil {
		s.Release, s.Companies, s.Loaded = served.Release, served.Companies, served.Loaded
	}

	return s
}

// ErrNotLoaded means that the register has never been loaded. It wraps a problem with the progress of the first load
// and a Retry-After.
var ErrNotLoaded = errors.New("the trade register is not loaded yet")

// notLoaded returns the error of a query before the first load has ended.
func (r *Register) notLoaded() error {
	s := r.Status()
	var p *problem.Problem
	switch left := s.Progress.Left(r.now()); {
	case s.Loading:
		p = problem.Unavailable.New("the trade register is being loaded for the first time: %s, %d %% done; try again "+
			"later", s.Progress.Step, s.Progress.Percent()).After(min(max(left, time.Minute), time.Hour))
	case s.Err != nil:
		p = problem.Unavailable.New("the trade register could not be loaded yet and will be tried again; try again " +
			"later").After(15 * time.Minute)
	default:
		p = problem.Unavailable.New("the trade register is not loaded yet; try again later").After(time.Minute)
	}

	return fmt.Errorf("%w: %w", ErrNotLoaded, p)
}
