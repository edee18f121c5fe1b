// Package onrc serves the trade register from its monthly open data, which it loads from the national open-data portal
// into an index on disk.
//
// # Files
//
// The directory of the register has
//
//	segments/2026-09-02.1   an index; its load.json describes the source
//	loading/                the working directory of a load
//	releases/               releases in files for download (package bulk)
//	taking/                 a published index being installed
//	statements/             the yearly statements of companies (package statements)
//	refused.json            the last refused release, and the reason
//	lock                    held by the process that loads, installs or publishes
//
// # Publishing
//
// A finished index can be published to a folder, a [Source] of other gateways:
//
//	register.json                        which release, in which file, with its checksum
//	2026-09-02-1a2b3c4d5e6f7081.tar      the index and the yearly statements
//
// Of personal data, only the names and roles of companies' representatives are kept.
package onrc

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// Register serves the trade register. It is safe for concurrent use.
type Register struct {
	o RegisterOptions

	served  atomic.Pointer[servedIndex]
	retired sync.WaitGroup // the indexes to be closed once they are no longer read

	// Only Run uses these fields.
	published    string    // path of the segment last published
	publishAt    time.Time // time of the next check of the publication folder
	failingSince time.Time // first of the source's consecutive failures; zero after a success
	waiting      waitingStatements

	mu      sync.Mutex // guards the following fields, and switching over
	status  Status
	openErr string // why the newest index could not be opened
}

// RegisterOptions configure a [Register].
type RegisterOptions struct {
	// Portal is the source of releases. If it is nil, no release is loaded, and the index in the directory is served.
	Portal *Portal
	// Source provides the index that another gateway publishes. It is installed instead of loading releases. If there
	// is also a portal, a release is loaded when the source has not been readable for a day, or when its index is
	// damaged or in another format. It may be nil.
	Source *Source
	// Publish is a folder to which the served index is published, as a Source for other gateways. Default: nothing is
	// published.
	Publish string
	// Statements is the number of years whose statements are loaded. Default: all.
	Statements int
	// Dir is the directory of the register's files. Required.
	Dir string
	// Logger receives messages for operators. Default slog.Default().
	Logger *slog.Logger
	// Now is the wall clock. Default time.Now.
	Now func() time.Time
}

// Open opens the register in a directory. It serves the index that was loaded before, if it can be read. Run keeps the
// register up to date.
func Open(o RegisterOptions) *Register {
	o.Logger = cmp.Or(o.Logger, slog.Default())
	if o.Now == nil {
		o.Now = time.Now
	}

	r := &Register{o: o}
	r.refresh()
	return r
}

// Close stops serving once running calls have finished. Run must have returned.
func (r *Register) Close() error {
	r.serve(nil)
	r.retired.Wait()
	return nil
}

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

// ErrNotLoaded means that the register has no index to serve. It wraps a problem with the progress of the load and a
// Retry-After.
var ErrNotLoaded = errors.New("the trade register is not loaded yet")

// notLoaded returns the error of a query while no index is served: before the first load has ended, or while a load
// replaces an index that cannot be opened.
func (r *Register) notLoaded() error {
	r.mu.Lock()
	occasion := "for the first time"
	if r.openErr != "" { // its index is damaged, or in the format of another version
		occasion = "again"
	}
	r.mu.Unlock()

	s := r.Status()
	var p *problem.Problem
	switch left := s.Progress.Left(r.o.Now()); {
	case s.Loading:
		p = problem.Unavailable.New("the trade register is being loaded %s: %s, %d %% done; try again later",
			occasion, s.Progress.Step, s.Progress.Percent()).After(min(max(left, time.Minute), time.Hour))
	case s.Err != nil:
		p = problem.Unavailable.New("the trade register could not be loaded yet and will be tried again; try again " +
			"later").After(15 * time.Minute)
	default:
		p = problem.Unavailable.New("the trade register is not loaded yet; try again later").After(time.Minute)
	}

	return fmt.Errorf("%w: %w", ErrNotLoaded, p)
}
