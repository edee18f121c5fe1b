package statements

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/recent"
	"github.com/rodata/rodata/ro"
)

const extension = ".statements"

// Path returns the path of the statements of a year and family in a directory.
func Path(dir string, key Key) string { return filepath.Join(dir, key.String()+extension) }

// Store provides the statements in all files of a directory. It is safe for concurrent use, and keeps in memory 16
// bytes of each thousand statements, and the figures of peers: see [Store.Peers].
type Store struct {
	// Catalog describes the files on the portal. It must not be modified.
	Catalog Catalog
	// CompleteYears are the years whose files are all here, the newest first. It must not be modified.
	CompleteYears []int

	files []*openFile // the newest year first

	peers        *recent.Memory[peerKey, *company.PeerFigures]
	readingPeers chan struct{} // full while peers are read
}

// Open opens the files of a directory, which may be missing. It skips files that it cannot read, and reports them in
// the error. The store can be used even then.
func Open(dir string) (*Store, error) { return new(Store).Reopen(dir) }

// Reopen opens the files of the same directory after a change, as Open does. The new store shares the files that have
// not been replaced with the old one, which must not be closed then: reading the fences of all files anew takes long.
func (s *Store) Reopen(dir string) (*Store, error) {
	before := s.files
	s = &Store{peers: recent.NewSized(maxPeers, peersSize), readingPeers: make(chan struct{}, 1)}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}

	errs := []error{err}
	s.Catalog, err = ReadCatalog(dir)
	errs = append(errs, err)
	for _, e := range entries {
		var key Key
		text, ours := strings.CutSuffix(e.Name(), extension)
		if !ours || key.UnmarshalText([]byte(text)) != nil {
			continue
		}

		f, err := openFrom(before, filepath.Join(dir, e.Name()), key)
		if err != nil {
			errs = append(errs, err)
			continue
		}

		s.files = append(s.files, f)
	}

	slices.SortFunc(s.files, func(a, b *openFile) int { return a.Key.Compare(b.Key) })
	s.CompleteYears = s.completeYears()
	return s, errors.Join(errs...)
}

// openFrom returns the file of a key from those opened before, if it is still the same. Otherwise, it opens the file.
func openFrom(before []*openFile, path string, key Key) (*openFile, error) {
	for _, f := range before {
		if f.Key != key {
			continue
		}

		opened, err := f.file.Stat()
		present, missing := os.Stat(path)
		if errors.Join(err, missing) == nil && os.SameFile(opened, present) {
			return f, nil
		}
	}
	return openStatements(path, key)
}

// Close closes the files.
func (s *Store) Close() error {
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.file.Close())
	}
	return errors.Join(errs...)
}

// Files returns the descriptions of the files, the newest year first.
func (s *Store) Files() []*File {
	files := make([]*File, len(s.files))
	for i, f := range s.files {
		files[i] = &f.File
	}
	return files
}

// Of returns the statements of a company, one a year, the newest first.
func (s *Store) Of(cui ro.CUI) ([]*Statement, error) {
	var all []*Statement
	for _, f := range s.files {
		if len(all) > 0 && all[len(all)-1].File.Key.Year == f.Key.Year {
			continue
		}

		statement, err := f.find(cui)
		if err != nil {
			return nil, fmt.Errorf("looking for the statement of company %s in %s: %w", cui, f.Key, err)
		}
		if statement != nil {
			all = append(all, statement)
		}
	}

	return all, nil
}

// Activities returns the main activities of all companies, each from the newest statement that has one. They are
// numbers, such as 119 for the class 0119.
func (s *Store) Activities() (map[ro.CUI]uint16, error) {
	all := map[ro.CUI]uint16{}
	for _, f := range s.files {
		if err := f.addActivities(all); err != nil {
			return nil, err
		}
	}

	return all, nil
}

// Compare orders keys: the newest year first, and the families of a year as in [Families].
func (k Key) Compare(other Key) int {
	return cmp.Or(cmp.Compare(other.Year, k.Year), cmp.Compare(k.rank(), other.rank()))
}

// rank is the position of the key's family in [Families]; -1 for none.
func (k Key) rank() int { return slices.Index(Families, k.Family) }
