package onrc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
)

// readers is how many files are read concurrently.
const readers = 2

// readFiles downloads and splits the files that are not split yet.
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

	l.meter.begin(step, "bytes", l.traffic(size))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	todo := make(chan *table, len(present))
	for _, t := range present {
		todo <- t
	}

	close(todo)
	var mu sync.Mutex
	l.kept = map[*table]int64{}
	var workers sync.WaitGroup
	for range readers {
		workers.Go(func() {
			for t := range todo {
				s, err := l.readFile(ctx, t)
				if err != nil {
					cancel(fmt.Errorf("%s: %w", t.name, err))
					return
				}

				mu.Lock()
				l.summary.add(t, s)
				l.kept[t] = s.Kept
				mu.Unlock()
			}
		})
	}

	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}

	l.meter.complete()
	return nil
}

// traffic is how many bytes are read for files of a size: those of the portal are
// downloaded first.
func (l *load) traffic(size int64) int64 {
	if l.From == "" {
		return 2 * size
	}
	return size
}

// readFile downloads and splits one file, unless that was done already.
func (l *load) readFile(ctx context.Context, t *table) (*splitTable, error) {
	file := l.release.files[t.name]
	if s := readSplit(t, file.origin, l.work); s != nil {
		l.meter.add(l.traffic(s.Bytes))
		return s, nil
	}

	path, disposable, err := file.get(ctx, l.work, l.meter.add)
	if err != nil {
		return nil, err
	}

	s, err := splitFile(ctx, t, path, file.origin, l.work, l.meter.add)
	if disposable && (err == nil || errors.Is(err, errHeader)) {
		err = errors.Join(err, os.Remove(path))
	}
	if errors.Is(err, errHeader) {
		err = fmt.Errorf("%w: %w", ErrRefused, err)
	}

	return s, err
}

func (s *Summary) add(t *table, part *splitTable) {
	s.Rows[t.name], s.Bytes[t.name] = part.Rows, part.Bytes
	reasons(s.Dropped).add(part.Dropped)
}
