package mirror

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/rodata/rodata/internal/recent"
	"github.com/rodata/rodata/internal/writebehind"
	"github.com/rodata/rodata/ro"
)

// Scope selects the companies to look at.
type Scope string

// The scopes.
const (
	// Watched selects the companies in watch-lists.
	Watched Scope = "watched"
	// Seen adds the companies requested in the last 90 days.
	Seen Scope = "seen"
	// InOperation selects the watched companies, and those in operation according to the trade register.
	InOperation Scope = "in_operation"
	// All selects the watched companies, and all companies of the trade register.
	All Scope = "all"
)

// ParseScope reads a scope by its name.
func ParseScope(name string) (Scope, error) {
	switch s := Scope(name); s {
	case Watched, Seen, InOperation, All:
		return s, nil
	}
	return "", fmt.Errorf("%q is unknown; use %s, %s, %s or %s", name, Watched, Seen, InOperation, All)
}

// usesRegister reports whether the scope includes companies of the trade register that are not watched.
func (s Scope) usesRegister() bool { return s == InOperation || s == All }

// seenFor is the number of days that a company stays in the scope Seen after a request.
const seenFor = 90

// maxRequests limits the companies remembered between two writes, and the companies remembered as written today.
const maxRequests = 100_000

// Requests collects the companies that callers request, for the scope Seen. It stores each company once a day. A killed
// process loses the requests of the last minute.
type Requests struct {
	store   requestStore
	log     *slog.Logger
	waiting *writebehind.Buffer[ro.CUI, struct{}]
	written *recent.Memory[ro.CUI, struct{}] // today
}

// requestStore stores requested companies. It is a *store.DB.
type requestStore interface {
	NoteSeen(ctx context.Context, companies []ro.CUI, on ro.Date) error
}

// NewRequests returns an empty collection.
func NewRequests(store requestStore, log *slog.Logger) *Requests {
	r := &Requests{store: store, log: log, written: recent.New[ro.CUI, struct{}](maxRequests)}
	r.waiting = writebehind.New(func(one, _ struct{}) struct{} { return one }, r.write)
	return r
}

// Note records a request for a company.
func (r *Requests) Note(c ro.CUI) {
	if _, written := r.written.Get(c); !written && r.waiting.Len() < maxRequests {
		r.waiting.Add(c, struct{}{})
	}
}

// Run stores the recorded companies until the context ends.
func (r *Requests) Run(ctx context.Context) {
	r.waiting.Run(ctx, func(err error) { r.log.Warn("recording requested companies failed", "error", err) })
}

func (r *Requests) write(ctx context.Context, waiting map[ro.CUI]struct{}) error {
	today := ro.Today()
	if err := r.store.NoteSeen(ctx, slices.Sorted(maps.Keys(waiting)), today); err != nil {
		return fmt.Errorf("storing %d companies: %w", len(waiting), err)
	}

	year, month, day := today.UTC().Date()
	midnight := time.Date(year, month, day+1, 0, 0, 0, 0, ro.Bucharest)
	for c := range waiting {
		r.written.PutUntil(c, struct{}{}, midnight)
	}

	return nil
}
