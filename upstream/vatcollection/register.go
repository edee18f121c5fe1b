// Package vatcollection is the tax authority's register of VAT on collection (TVA la încasare), complete and with its
// history, from the file that the authority publishes every day.
//
// # Where this comes from
//
// The name of the file and the format of its lines are as read by the accounting module l10n_ro_vat_on_payment of the
// Odoo Community Association (its versions 14.0 and 16.0, read on 2026-11-22). They have not been verified against the
// live service. The file of a day is
//
//	/static/10/Anaf/TVA_incasare/ultim_20261122.zip
//
// with one member, istoric.txt, of lines
//
//	id#tax id#start#end#publication#entry#kind
//
// The days are YYYYMMDD or empty. The kind is I for a registration, E for the correction of an error, and D for a
// removal.
//
// # What the lines mean
//
// The lines of a company are applied in order of entry, and of their ids within a day. Each line describes a whole
// period and supersedes earlier lines about that period:
//
//   - I registers from its start. A second one with the same start replaces the first.
//   - D ends the period that has the same start, or else the last one that it overlaps. Without a start, it keeps the
//     period's start. Without an end, it ends the period on the day on which the removal was recorded.
//   - E replaces the period that has the same start, or else the last one that it overlaps, so a wrong start can be
//     corrected too. Without a start, it keeps the period's start. An E that ends on or before its start withdraws the
//     period, which then never existed.
//
// A D or E that matches no known period adds its own, if it has a start. Nothing is deleted: a replaced line stays,
// with the day of its replacement, so that the knowledge of each day can be computed. A line is recorded on the later
// of the days of its entry and publication. Ends are exclusive, as in the module named above, which treats a company
// whose end is today as one without VAT on collection.
//
// # How far it can be trusted
//
// The file is published over plain HTTP, so its origin is not authenticated. Therefore it never overrides the
// register's own status for a day, from the lookup of companies.
package vatcollection

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

// Name is the name of the registry in failures, metrics and /v1/status.
const Name = "anaf-vat-collection"

// Options configure a Register.
type Options struct {
	// Host sends requests to the tax authority's server of files. Required.
	Host upstream.Doer
	// Dir is the directory of the stored register, which is created if necessary. Required.
	Dir string
	// Logger receives messages for operators. Default slog.Default().
	Logger *slog.Logger
	// Now is the wall clock. Default time.Now.
	Now func() time.Time
}

// Register answers from the newest daily file. It is safe for concurrent use.
type Register struct {
	o       Options
	path    string
	breaker *upstream.Breaker
	fetch   func(context.Context, *table) (*table, error)
	held    atomic.Pointer[table] // empty before the first file

	mu       sync.Mutex
	checked  time.Time // the last successful check
	failures int       // consecutive, since then
	err      error     // of the last check, nil if it succeeded
}

// Open reads the stored register, if there is one. It does not contact the server. A damaged file is moved aside.
func Open(o Options) *Register {
	o.Logger = cmp.Or(o.Logger, slog.Default())
	if o.Now == nil {
		o.Now = time.Now
	}

	r := &Register{o: o, path: tablePath(o.Dir), breaker: upstream.NewBreaker(Name, breakerSettings)}
	r.fetch = upstream.Retry(upstream.Guard(r.breaker, r.read), time.Second, 2*time.Second)
	t, err := loadTable(r.path)
	if err != nil {
		o.Logger.Error("reading the stored register of VAT on collection failed; it will be fetched again",
			"registry", Name, "error", err)
	}

	t = cmp.Or(t, new(table))
	r.held.Store(t)
	r.checked = t.retrieved
	return r
}

// Periods returns a company's periods in the register, the newest line first. It includes current periods, and periods
// that a later line replaced. It is empty for a company that was never in the register, and for all companies before
// the first file.
func (r *Register) Periods(cui ro.CUI) []Period { return periodsOf(r.held.Load().rowsOf(cui)) }

// Day returns the day of the loaded file. It is zero before the first file.
func (r *Register) Day() ro.Date { return r.held.Load().day }

// Retrieved returns the download time of the loaded file. It is zero before the first file.
func (r *Register) Retrieved() time.Time { return r.held.Load().retrieved }

// now returns the wall clock without its monotonic reading, so that jumps are noticed.
func (r *Register) now() time.Time { return r.o.Now().Round(0) }
