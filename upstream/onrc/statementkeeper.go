package onrc

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// waitingStatements are the files of statements that are still to be loaded.
type waitingStatements struct {
	list     []*statementSource
	checkAt  time.Time // time of the next look at the portal
	failures int       // since the last look without a failure
	changed  bool      // a file was loaded since the last publication
}

// keepStatements takes one step towards the statements on the portal: it looks for new files once a day, or loads one
// of those that it found. It reports whether others are waiting. A gateway that installs a published index gets the
// statements with it.
func (r *Register) keepStatements(ctx context.Context) (more bool) {
	w := &r.waiting
	takes := r.o.Source != nil && r.failingSince.IsZero()
	if r.o.Portal == nil || takes || len(w.list) == 0 && r.o.Now().Before(w.checkAt) {
		return false
	}

	l := &statementLoader{Options: Options{Portal: r.o.Portal, Dir: r.o.Dir}, now: r.o.Now, meter: &meter{},
		isPaced: true,
		dropped: func(key statements.Key, lines int) {
			r.o.Logger.Warn("malformed lines in yearly statements", "registry", name, "file", key, "lines", lines)
		}}
	err := r.stepStatements(ctx, l)
	switch {
	case ctx.Err() != nil || errors.Is(err, ErrBusy): // try the same step again
		return false
	case errors.Is(err, statements.ErrFormat):
		r.o.Logger.Error("refusing yearly statements", "registry", name, "error", err)
	case err != nil:
		w.failures++
		wait := min(firstRetry<<min(w.failures-1, 10), lastRetry)
		w.checkAt = r.o.Now().Add(wait)
		r.o.Logger.Error("loading yearly statements failed", "registry", name, "error", err, "retry", wait)
	}

	if len(w.list) == 0 && w.changed {
		w.changed, r.publishAt = false, time.Time{}
	}

	return len(w.list) > 0
}

// stepStatements looks for new files if none are waiting. Otherwise, it loads the first one. While another process
// holds the lock, it sends no requests to the portal.
func (r *Register) stepStatements(ctx context.Context, l *statementLoader) error {
	unlock, err := lock(r.o.Dir)
	if err != nil {
		return err
	}
	defer unlock()

	w := &r.waiting
	if len(w.list) == 0 {
		found, err := l.find(ctx, ro.DateIn(r.o.Now(), ro.Bucharest).Year()-1, r.o.Statements)
		if err != nil {
			return err
		}

		w.list, err = l.waiting(found)
		if w.checkAt = r.o.Now().Add(checkEvery); len(w.list) == 0 {
			w.failures = 0
		}

		return err
	}

	source := w.list[0]
	if err := l.load(ctx, source); ctx.Err() == nil {
		w.list = w.list[1:]
		w.changed = w.changed || err == nil
		return err
	}

	return context.Cause(ctx)
}
