// Package onrc is the trade register: its monthly open data, loaded from the
// national open-data portal into an index on disk that answers every question.
//
// # Files
//
// The directory of the register has
//
//	segments/2026-09-02.1   an index, with load.json that says what it was made of
//	loading/                what a load that is not finished has done so far
//	taking/                 a published index on its way
//	statements/             the yearly statements of companies (package statements)
//	refused.json            the last release that was refused, and why
//	lock                    held by the process that loads, takes or publishes
//
// # Publishing
//
// A finished index can be published to a depot, a folder that others read:
//
//	register.json                        which release, in which file, with its checksum
//	2026-09-02-1a2b3c4d5e6f7081.tar      the index and the yearly statements
//
// Of persons, nothing is kept but the names and roles of those who represent
// companies.
package onrc

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
)

// Register is the trade register as it is served. It is safe for concurrent use.
type Register struct {
	portal  *Portal
	depot   *Depot
	publish string
	dir     string
	log     *slog.Logger
	now     func() time.Time

	served atomic.Pointer[edition]

	// Of Run alone: what was offered last and when to look at the folder again;
	// since when the depot could not be read, zero when it could.
	offered     string
	offerAt     time.Time
	missedSince time.Time

	mu     sync.Mutex // of what follows, and of changing over
	status Status
	broken string // why the newest index could not be opened
}

// Status is what is known of the loading of the register.
type Status struct {
	// Release is the day of the release that is served, zero before the first load;
	// Companies is how many it has, Loaded when it was loaded.
	Release   api.Date
	Companies int64
	Loaded    time.Time
	// Loading tells that a load is running, Progress how far it has come.
	Loading  bool
	Progress Progress
	// Looked is when a look for a new release last succeeded.
	Looked time.Time
	// Err is why the last look or load failed, nil when it did not; Failures is how
	// many failed since one succeeded. ErrRefused asks for an operator.
	Err      error
	Failures int
	// TakeErr is why the published index could not be taken at the last look,
	// PublishErr why that which is served could not be published; nil when they
	// could, or need not.
	TakeErr, PublishErr error
}

// RegisterOptions are what the register needs to know.
type RegisterOptions struct {
	// Portal is where releases are looked for. With nil, nothing is loaded, and
	// what is in the directory is served.
	Portal *Portal
	// Depot is where another gateway's index is taken from, in place of loading
	// releases. A release is loaded all the same, if there is a portal, when the
	// depot could not be read for a day, or when what it has is damaged or of
	// another format. May be nil.
	Depot *Depot
	// Publish is a folder to publish the served index to; others find it by a
	// Depot. Empty publishes nothing.
	Publish string
	// Dir is the directory of the register's files. Required.
	Dir string
	// Logger receives what an operator should know. Default slog.Default().
	Logger *slog.Logger
	// Now is the wall clock. Default time.Now.
	Now func() time.Time
}

// ErrNotLoaded tells that the register has never been loaded. It wraps a problem
// that says how far the first load has come and when to ask again.
var ErrNotLoaded = errors.New("the trade register is not loaded yet")

// Open opens the register of a directory, and serves what was loaded into it
// before, if anything was and can be read. Run keeps it up to date.
func Open(o RegisterOptions) *Register {
	r := &Register{portal: o.Portal, depot: o.Depot, publish: o.Publish, dir: o.Dir, log: o.Logger, now: o.Now}
	if r.log == nil {
		r.log = slog.Default()
	}
	if r.now == nil {
		r.now = time.Now
	}
	r.refresh()
	return r
}

// Close ends the serving; calls that are running are finished. Run must have
// returned.
func (r *Register) Close() error {
	if e := r.served.Swap(nil); e != nil {
		return e.leave()
	}
	return nil
}

// Status is what is known of the loading at this moment.
func (r *Register) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.status
	if served := r.summary(); served != nil {
		s.Release, s.Companies, s.Loaded = served.Release, served.Companies, served.Loaded
	}
	return s
}

// DataThrough is the day of the release that is served, zero before the first
// load.
func (r *Register) DataThrough() api.Date {
	if served := r.summary(); served != nil {
		return served.Release
	}
	return 0
}

// refresh changes over to the newest segment on disk. One that cannot be opened
// is not served, and the keeper loads its release again.
func (r *Register) refresh() {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.changeOver()
	if err == nil {
		r.broken = ""
	} else if r.broken != err.Error() { // the same every half minute is no news
		r.broken = err.Error()
		r.log.Error("opening the index of the trade register failed", "registry", name, "error", err)
	}
}

func (r *Register) changeOver() error {
	newest, err := newestSegment(r.dir)
	if err != nil || newest == nil {
		return err
	}
	before := r.served.Load()
	if before != nil && before.path == newest.path {
		return nil
	}
	e, err := openEdition(newest)
	if err != nil {
		return err
	}
	if r.served.Store(e); before != nil {
		return before.leave()
	}
	return nil
}

// hold is the edition that is served, held for the caller, who must leave it; nil
// before the first load.
func (r *Register) hold() *edition {
	for {
		e := r.served.Load()
		if e == nil || e.hold() {
			return e
		}
	}
}

// notLoaded is the error of a question before the first load has ended.
func (r *Register) notLoaded() error {
	s := r.Status()
	var p *problem.Problem
	switch left := s.Progress.Left(r.now()); {
	case s.Loading:
		p = problem.Unavailable.New("the trade register is being loaded for the first time: %s, %d %% done; try again later",
			s.Progress.Step, s.Progress.Percent())
		p.RetryAfter = min(max(left, time.Minute), time.Hour)
	case s.Err != nil:
		p = problem.Unavailable.New("the trade register could not be loaded yet and will be tried again; try again later")
		p.RetryAfter = 15 * time.Minute
	default:
		p = problem.Unavailable.New("the trade register is not loaded yet; try again later")
		p.RetryAfter = time.Minute
	}
	return fmt.Errorf("%w: %w", ErrNotLoaded, p)
}
