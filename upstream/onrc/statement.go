package onrc

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// statementYears is the number of years for which statements are updated. Older statements on disk stay.
const statementYears = 5

// StatementsDir returns the directory of the yearly statements in a register's directory.
func StatementsDir(dir string) string { return filepath.Join(dir, "statements") }

// updateStatements updates the yearly statements on disk. If a year is not available, it adds a warning, and the
// register is still loaded.
func (l *load) updateStatements(ctx context.Context) error {
	if err := os.MkdirAll(StatementsDir(l.Dir), 0o700); err != nil {
		return err
	}

	last := l.release.date.Year() - 1
	for year := last; year > last-statementYears; year-- {
		err := l.updateYear(ctx, year)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil && !errors.Is(err, op.ErrUnknown) {
			l.warn("the yearly statements of %d were not read: %v", year, err)
		}
	}

	return nil
}

// updateYear updates the statements of a year, unless they were read from the same files before.
func (l *load) updateYear(ctx context.Context, year int) error {
	files, err := l.findStatements(ctx, year)
	if err != nil {
		return err
	}

	names := slices.Sorted(maps.Keys(files))
	var origin strings.Builder
	var size int64
	for _, name := range names {
		fmt.Fprintln(&origin, name, files[name].origin)
		size += files[name].size
	}

	path := statements.Path(StatementsDir(l.Dir), year)
	if known, _ := os.ReadFile(path + ".origin"); len(files) == 0 || string(known) == origin.String() {
		return nil
	}

	var b statements.Builder
	dropped := 0
	l.meter.begin(fmt.Sprintf("statements of %d", year), "bytes", size)
	// A company in several files gets the statement of the first one.
	for _, name := range names {
		n, err := l.readStatementFile(ctx, files[name], year, &b)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}

		dropped += n
	}

	l.meter.complete()
	if b.Len() == 0 {
		return fmt.Errorf("%w: there are none in %d files", statements.ErrFormat, len(files))
	}

	if err := b.Write(path); err != nil {
		return err
	}
	if dropped > 0 {
		l.summary.Dropped[wrongStatement] += int64(dropped)
	}

	return os.WriteFile(path+".origin", []byte(origin.String()), 0o600)
}

// findStatements returns the files of a year, from the directory of the release if there is one, otherwise from the
// portal. The portal may not have them.
func (l *load) findStatements(ctx context.Context, year int) (map[string]sourceFile, error) {
	all := l.release.files
	if l.From == "" {
		for _, id := range []string{"situatii_financiare_", "situatii_financiare"} { // the name of 2023 is the second
			d, err := l.Portal.show(ctx, id+strconv.Itoa(year))
			if errors.Is(err, op.ErrUnknown) {
				continue
			}
			if err != nil {
				return nil, err
			}

			all = l.Portal.release(0, d).files
			break
		}
	}

	files := map[string]sourceFile{}
	for _, kind := range []string{"UU", "BL_BS_SL"} { // the general form: of small companies, and of the others
		name := fmt.Sprintf("WEB_%s_AN%d", kind, year)
		if file, ok := all[name]; ok {
			files[name] = file
		}
	}

	return files, nil
}

// readStatementFile adds the statements in a file, and returns the number of malformed lines.
func (l *load) readStatementFile(ctx context.Context, file sourceFile, year int, b *statements.Builder) (int, error) {
	content, err := file.open(ctx)
	if err != nil {
		return 0, err
	}
	defer content.Close()

	return statements.Read(countingReader{content, l.meter.add}, year, b.Add)
}

// mainActivities reads the main activities from the statements on disk.
func (l *load) mainActivities() map[ro.CUI]uint16 {
	store, err := statements.Open(StatementsDir(l.Dir))
	if err != nil {
		l.warn("some of the yearly statements cannot be read: %v", err)
	}
	defer store.Close()

	all, err := store.Activities()
	if err != nil {
		l.warn("the main activities of companies are not known: %v", err)
	}

	return all
}
