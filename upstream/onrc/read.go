package onrc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sync/errgroup"
)

// readers is the number of files read concurrently.
const readers = 2

// readFiles downloads and splits the files that have not been split yet.
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
			l.summary.add(t, s)
			l.kept[t] = s.Kept
			return nil
		})
	}

	if err := group.Wait(); err != nil {
		return err
	}

	l.meter.complete()
	return nil
}

// traffic returns the number of bytes to read for files of a size. The portal's files count twice, because they are
// downloaded first.
func (l *load) traffic(size int64) int64 {
	if l.From == "" {
		return 2 * size
	}
	return size
}

// readFile downloads and splits one file, unless that is already done.
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
