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
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Register serves the trade register. It is safe for concurrent use.
type Register struct {
	portal  *Portal
	source  *Source
	publish string
	dir     string
	log     *slog.Logger
	now     func() time.Time

	served  atomic.Pointer[servedIndex]
	retired sync.WaitGroup // the indexes to be closed once they are no longer read

	// Only Run uses these fields.
	published    string    // path of the segment last published
	publishAt    time.Time // time of the next check of the publication folder
	failingSince time.Time // first of the source's consecutive failures; zero after a success

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
	r := &Register{portal: o.Portal, source: o.Source, publish: o.Publish, dir: o.Dir, now: o.Now}
	r.log = cmp.Or(o.Logger, slog.Default())
	if r.now == nil {
		r.now = time.Now
	}

	r.refresh()
	return r
}

// Close stops serving once running calls have finished. Run must have returned.
func (r *Register) Close() error {
	r.serve(nil)
	r.retired.Wait()
	return nil
}
