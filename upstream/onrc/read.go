package onrc

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"
)

// readers is the number of files read concurrently.
const readers = 2

// readFiles splits the files that have not been split yet.
func (l *load) readFiles(ctx context.Context) error {
	var present []*table
	var size int64
	for _, t := range tables {
		file, ok := l.release.files[t.name]
		if !ok {
			l.summary.Missing = append(l.summary.Missing, t.name)
			continue
		}

		present = append(present, t)
		size += file.size
	}

	step := "reading the files"
	if l.From == "" {
		step = "fetching and reading"
	}

	l.meter.begin(step, "bytes", size)
	var mu sync.Mutex
	l.kept = map[*table]int64{}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readers)
	for _, t := range present {
		group.Go(func() error {
			s, err := l.readFile(ctx, t)
			if err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}

			mu.Lock()
			defer mu.Unlock()
			l.kept[t], l.summary.Rows[t.name], l.summary.Bytes[t.name] = s.Kept, s.Rows, s.Bytes
			for reason, n := range s.Dropped {
				l.summary.Dropped[reason] += n
			}

			return nil
		})
	}

	if err := group.Wait(); err != nil {
		return err
	}

	l.meter.complete()
	return nil
}

// readFile splits one file, unless that is already done.
func (l *load) readFile(ctx context.Context, t *table) (*splitTable, error) {
	file := l.release.files[t.name]
	if s := readSplit(t, file.origin, l.work); s != nil {
		l.meter.add(s.Bytes)
		return s, nil
	}

	s, err := splitFile(ctx, t, file, l.work, l.meter.add)
	if errors.Is(err, errHeader) {
		err = fmt.Errorf("%w: %w", ErrRefused, err)
	}

	return s, err
}
