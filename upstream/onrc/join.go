package onrc

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/upstream/siruta"
)

// errDamagedParts marks damaged parts on disk, for example after a power failure.
var errDamagedParts = errors.New("the parts on disk are damaged")

// join joins the tables of a release, one part at a time.
type join struct {
	dir            string
	ranks          map[string]uint8  // of state codes
	stateNames     map[string]string // of state codes, in Romanian
	mainActivities mainActivities
	tables         []*table
	kept           map[*table]int64 // expected records of their parts
	joined         func(rows int64) // called after each part

	mu      sync.Mutex
	dropped reasons
	counts  map[*table]int64 // records of the parts joined so far
}

// rows returns the number of records to join.
func (j *join) rows() (n int64) {
	for _, t := range j.tables {
		n += j.kept[t]
	}
	return n
}

// joiners is the number of parts joined concurrently.
const joiners = 2

// firms iterates over the companies of all parts, in no particular order. A failure comes last, as an error. The parts
// are removed after the last company, because the index needs the disk space.
func (j *join) firms(ctx context.Context) iter.Seq2[search.Firm, error] {
	return func(yield func(search.Firm, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		workers, ctx := errgroup.WithContext(ctx)
		todo, done := make(chan int, partCount), make(chan []search.Firm)
		for part := range partCount {
			todo <- part
		}

		close(todo)
		for range joiners {
			workers.Go(func() error { return j.work(ctx, todo, done) })
		}

		var err error
		go func() {
			err = workers.Wait()
			close(done)
		}()
		defer func() { // the consumer may leave early
			cancel()
			for range done {
			}
		}()

		for firms := range done {
			for _, f := range firms {
				if !yield(f, nil) {
					return
				}
			}
		}

		if err == nil {
			err = j.finish()
		}
		if err != nil {
			yield(search.Firm{}, err)
		}
	}
}

// finish checks that nothing is missing, and removes the parts.
func (j *join) finish() error {
	for t, n := range j.kept {
		if j.counts[t] != n {
			return fmt.Errorf("%s has %d records of %d: %w", t.name, j.counts[t], n, errDamagedParts)
		}
	}

	for _, t := range j.tables {
		if err := removeSplit(t, j.dir); err != nil {
			return err
		}
	}

	return nil
}

// work joins the parts from a channel.
func (j *join) work(ctx context.Context, todo <-chan int, done chan<- []search.Firm) error {
	reader := &firmReader{places: newGazetteer(siruta.Load())}
	activities := activities{}
	for part := range todo {
		if err := ctx.Err(); err != nil { // a consumer that is ready may win the select below
			return err
		}

		reader.dropped = reasons{}
		p := &partJoin{join: j, reader: reader, activities: activities, dropped: reader.dropped,
			byKey: map[uint64][]record{}, counts: map[*table]int64{}}
		firms, err := p.run(part)
		if err != nil {
			return err
		}

		select {
		case done <- firms:
		case <-ctx.Done():
			return ctx.Err()
		}

		j.mu.Lock()
		j.dropped.add(p.dropped)
		for t, n := range p.counts {
			j.counts[t] += n
			j.joined(n)
		}

		j.mu.Unlock()
	}

	return nil
}
