package statements

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
)

// HasYear reports whether the files of small companies and of the others are here for a year.
func (s *Store) HasYear(year int) bool {
	has := func(family company.SheetForm) bool {
		return slices.ContainsFunc(s.files, func(f *openFile) bool { return f.Key == Key{year, family} })
	}
	return has(company.SmallForm) && has(company.LargeForm)
}

// NewestYear returns the newest year that HasYear; 0 if there is none.
func (s *Store) NewestYear() int {
	for _, f := range s.files {
		if s.HasYear(f.Key.Year) {
			return f.Key.Year
		}
	}
	return 0
}

// Origins returns the origins of the files of the years from first to last, in a text that changes whenever one of them
// does.
func (s *Store) Origins(first, last int) string {
	var all strings.Builder
	for _, f := range s.files {
		if first <= f.Key.Year && f.Key.Year <= last {
			all.WriteString(f.Key.String() + "\x00" + f.Origin + "\x00")
		}
	}
	return all.String()
}

// InYear iterates over all statements of a year: those of a family by ascending CUI, then those of the next one. A
// company may be in several families. A statement is valid until the next one. After an error, the iteration ends.
func (s *Store) InYear(year int) iter.Seq2[*Statement, error] {
	return func(yield func(*Statement, error) bool) {
		for _, f := range s.files {
			if f.Key.Year != year {
				continue
			}
			if err := f.verify(); err != nil {
				yield(nil, err)
				return
			}

			found, body := &Statement{}, make([]byte, maxStatement)
			for e, err := range f.all() {
				if err == nil {
					err = f.read(e, found, body)
				}
				if !yield(found, wrapped(f, err)) || err != nil {
					return
				}
			}
		}
	}
}

// Companies iterates over the companies with statements for the years from first to last: by ascending CUI those of a
// year and family, then those of the next one. After an error, the iteration ends.
func (s *Store) Companies(first, last int) iter.Seq2[ro.CUI, error] {
	return func(yield func(ro.CUI, error) bool) {
		for _, f := range s.files {
			if f.Key.Year < first || f.Key.Year > last {
				continue
			}
			for e, err := range f.all() {
				if !yield(e.cui, wrapped(f, err)) || err != nil {
					return
				}
			}
		}
	}
}

func wrapped(f *openFile, err error) error {
	if err != nil {
		return fmt.Errorf("reading the statements of %s: %w", f.Key, err)
	}
	return nil
}

// all iterates over the entries. After an error, the iteration ends.
func (f *openFile) all() iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		const read = 16 * fenced // entries at once
		buffer := make([]byte, read*entrySize)
		for i := 0; i < f.n; i += read {
			block := buffer[:min(read, f.n-i)*entrySize]
			if _, err := f.file.ReadAt(block, f.entries+int64(i)*entrySize); err != nil {
				yield(entry{}, err)
				return
			}

			for ; len(block) > 0; block = block[entrySize:] {
				if !yield(entryOf(block), nil) {
					return
				}
			}
		}
	}
}
