package onrc

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
)

// segment is a directory with the index of one release: 2026-09-02.1 for the first load of that day's release. It is
// valid once its summary is written. A directory without a summary is left from an interrupted load.
type segment struct {
	path    string
	release ro.Date
	attempt int
	summary *Summary
}

const summaryFile = "load.json"

// opens reports whether the index of the segment can be opened.
func (s *segment) opens() bool {
	x, err := search.Open(s.path)
	return err == nil && x.Close() == nil
}

func segmentsDir(dir string) string { return filepath.Join(dir, "segments") }

// newestSegment returns the segment to serve, which is the last load of the newest release. It returns nil if there is
// none.
func newestSegment(dir string) (*segment, error) {
	all, err := listSegments(dir)
	if err != nil {
		return nil, err
	}

	for _, s := range slices.Backward(all) {
		if s.summary != nil {
			return s, nil
		}
	}

	return nil, nil
}

// listSegments lists the segments, the oldest first.
func listSegments(dir string) ([]*segment, error) {
	entries, err := os.ReadDir(segmentsDir(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	var all []*segment
	for _, e := range entries {
		s := &segment{path: filepath.Join(segmentsDir(dir), e.Name())}
		day, attempt, _ := strings.Cut(e.Name(), ".")
		var dayErr, attemptErr error
		s.release, dayErr = ro.ParseDate(day)
		s.attempt, attemptErr = strconv.Atoi(attempt)
		if dayErr == nil && attemptErr == nil {
			s.summary = readSummary(s.path)
		}

		all = append(all, s)
	}

	slices.SortFunc(all, func(a, b *segment) int {
		return cmp.Or(cmp.Compare(a.release, b.release), cmp.Compare(a.attempt, b.attempt))
	})
	return all, nil
}

func readSummary(path string) *Summary {
	var s Summary
	if readJSON(filepath.Join(path, summaryFile), &s) != nil {
		return nil
	}

	return &s
}

// nextSegment returns the path of a new segment.
func nextSegment(dir string, release ro.Date) (string, error) {
	all, err := listSegments(dir)
	if err != nil {
		return "", err
	}

	attempt := 1
	for _, s := range all {
		if s.release == release {
			attempt = max(attempt, s.attempt+1)
		}
	}

	return filepath.Join(segmentsDir(dir), fmt.Sprintf("%s.%d", release, attempt)), nil
}

// pruneSegments removes all segments except the one to serve. A process that still reads another segment keeps its
// mapping.
func pruneSegments(dir string) error {
	newest, err := newestSegment(dir)
	if err != nil {
		return err
	}

	all, err := listSegments(dir)
	for _, s := range all {
		if newest == nil || s.path != newest.path {
			err = errors.Join(err, os.RemoveAll(s.path))
		}
	}

	return err
}
