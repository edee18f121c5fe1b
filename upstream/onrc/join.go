package onrc

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/rodata/rodata/upstream/internal/index"
	"github.com/rodata/rodata/upstream/siruta"
)

// errParts marks parts on disk that do not hold what was written to them, as
// after a power failure.
var errParts = errors.New("the parts on disk are damaged")

// join puts the tables of a release together, a part at a time.
type join struct {
	dir    string
	ranks  map[string]uint8 // of status codes
	mains  mains
	tables []*table
	kept   map[*table]int64 // how many records their parts should have
	joined func(rows int64) // told of each part

	mu      sync.Mutex
	dropped tally
	records map[*table]int64
	err     error
}

// rows is how many records there are to join.
func (j *join) rows() (n int64) {
	for _, t := range j.tables {
		n += j.kept[t]
	}
	return n
}

// joiners is how many parts are joined at once.
const joiners = 2

// firms are the companies of all parts, in no order worth relying on. What went
// wrong comes last, as an error. After the last company the parts are removed:
// they would be in the way of the index, on a disk that is not large.
func (j *join) firms(ctx context.Context) iter.Seq2[index.Firm, error] {
	return func(yield func(index.Firm, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		todo, done := make(chan int), make(chan []index.Firm, 1)
		var workers sync.WaitGroup
		defer workers.Wait()
		defer cancel()
		for range joiners {
			workers.Go(func() { j.work(ctx, todo, done) })
		}
		workers.Go(func() {
			defer close(todo)
			for part := range partCount {
				select {
				case todo <- part:
				case <-ctx.Done():
					return
				}
			}
		})
		for range partCount {
			select {
			case firms := <-done:
				for _, f := range firms {
					if !yield(f, nil) {
						return
					}
				}
			case <-ctx.Done():
				yield(index.Firm{}, ctx.Err())
				return
			}
			if err := j.failed(); err != nil {
				yield(index.Firm{}, err)
				return
			}
		}
		if err := j.finish(); err != nil {
			yield(index.Firm{}, err)
		}
	}
}

// finish checks that nothing was missing, and removes the parts.
func (j *join) finish() error {
	for t, n := range j.kept {
		if j.records[t] != n {
			return fmt.Errorf("%s has %d records of %d: %w", t.name, j.records[t], n, errParts)
		}
	}
	for _, t := range j.tables {
		if err := removeShare(t, j.dir); err != nil {
			return err
		}
	}
	return nil
}

func (j *join) failed() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// work joins the parts that it is told to.
func (j *join) work(ctx context.Context, todo <-chan int, done chan<- []index.Firm) {
	reader := &firmReader{places: newGazetteer(siruta.Load())}
	activities := activities{}
	for part := range todo {
		reader.dropped = tally{}
		p := &partJoin{join: j, reader: reader, activities: activities, dropped: reader.dropped}
		firms, err := p.run(part)
		j.mu.Lock()
		j.dropped.add(p.dropped)
		for t, n := range p.records {
			j.records[t] += n
			j.joined(n)
		}
		j.err = errors.Join(j.err, err)
		j.mu.Unlock()
		select {
		case done <- firms:
		case <-ctx.Done():
			return
		}
	}
}
