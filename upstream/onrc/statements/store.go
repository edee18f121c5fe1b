package statements

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/ro"
)

const extension = ".statements"

// Path returns the path of the statements of a year in a directory.
func Path(dir string, year int) string { return filepath.Join(dir, strconv.Itoa(year)+extension) }

// Store provides the statements of all years in a directory. It is safe for concurrent use and keeps nothing in memory.
type Store struct {
	years []*yearFile // newest first
}

// Open opens the files of a directory, which may be missing. It skips files that it cannot read, and reports them in
// the error. The store can be used even then.
func Open(dir string) (*Store, error) {
	s := &Store{}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}

	errs := []error{err}
	for _, e := range entries {
		text, ours := strings.CutSuffix(e.Name(), extension)
		year, err := strconv.Atoi(text)
		if !ours || err != nil {
			continue
		}

		y, err := openYear(Path(dir, year), year)
		if err != nil {
			errs = append(errs, err)
			continue
		}

		s.years = append(s.years, y)
	}

	slices.SortFunc(s.years, func(a, b *yearFile) int { return b.year - a.year })
	return s, errors.Join(errs...)
}

// Close closes the files.
func (s *Store) Close() error {
	var errs []error
	for _, y := range s.years {
		errs = append(errs, y.file.Close())
	}
	return errors.Join(errs...)
}

// Of returns the statements of a company, the newest first.
func (s *Store) Of(cui ro.CUI) ([]Statement, error) {
	var all []Statement
	for _, y := range s.years {
		statement, found, err := y.find(cui)
		if err != nil {
			return nil, fmt.Errorf("looking for the statement of %d of company %s: %w", y.year, cui, err)
		}
		if found {
			all = append(all, statement)
		}
	}

	return all, nil
}

// Activities returns the main activities of all companies, each from the newest statement that has one. They are
// numbers, such as 119 for the class 0119.
func (s *Store) Activities() (map[ro.CUI]uint16, error) {
	all := map[ro.CUI]uint16{}
	for _, y := range s.years {
		if err := y.addActivities(all); err != nil {
			return nil, err
		}
	}

	return all, nil
}
