package onrc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// activityYears is the number of years whose statements are read before the first index is built, because its main
// activities come from them.
const activityYears = 5

// StatementsDir returns the directory of the yearly statements in a register's directory.
func StatementsDir(dir string) string { return filepath.Join(dir, "statements") }

// statementLoader loads the yearly statements of the Ministry of Finance.
type statementLoader struct {
	Options
	now   func() time.Time
	meter *meter
	// isPaced makes the loader rest between reads, for the sake of callers of the same process.
	isPaced bool
	// dropped receives the number of malformed lines in a file.
	dropped func(key statements.Key, lines int)
}

// offer is what a folder or the portal has.
type offer struct {
	files map[statements.Key]*statementSource
	first int // the first year for which the portal was checked; 0 for a folder
}

// find finds the files of the last years, up to some year, in the folder of the release or on the portal. All files in
// the folder count. Years is 0 for all years.
func (l *statementLoader) find(ctx context.Context, last, years int) (o offer, err error) {
	if l.From != "" {
		o.files, err = folderStatements(l.From)
		return o, err
	}

	o.first = company.FirstFiledYear
	if years > 0 {
		o.first = max(o.first, last-years+1)
	}

	o.files, err = l.Portal.statements(ctx, o.first, last)
	return o, err
}

// waiting records which files the portal has, and returns those that were not read yet, in the order of their keys. A
// refused file does not wait again, and is forgotten once the portal lacks it. The caller holds the lock of the
// directory.
func (l *statementLoader) waiting(found offer) ([]*statementSource, error) {
	dir := StatementsDir(l.Dir)
	if err := errors.Join(os.MkdirAll(dir, 0o700), removeFirstFormat(dir)); err != nil {
		return nil, err
	}

	known, c := readFiles(dir)
	if found.first > 0 {
		c.Checked, c.First = l.now().UTC(), found.first
		isWithdrawn := func(key statements.Key) bool { return key.Year >= found.first && found.files[key] == nil }
		maps.DeleteFunc(c.Published, func(key statements.Key, _ string) bool { return isWithdrawn(key) })
		maps.DeleteFunc(c.Refused, func(key statements.Key, _ statements.Refusal) bool { return isWithdrawn(key) })
		for key, source := range found.files {
			c.Published[key] = source.file.Origin
		}
	}
	if err := c.Write(dir); err != nil {
		return nil, err
	}

	var list []*statementSource
	for _, key := range slices.SortedFunc(maps.Keys(found.files), statements.Key.Compare) {
		if source := found.files[key]; known[key] != source.file.Origin {
			list = append(list, source)
		}
	}

	return list, nil
}

// readFiles returns the origins of the files in a directory and of the refused ones, and the catalog. A damaged file is
// read again, and a damaged catalog is written again.
func readFiles(dir string) (origins map[statements.Key]string, c statements.Catalog) {
	store, _ := statements.Open(dir)
	defer store.Close()

	origins = map[statements.Key]string{}
	for _, f := range store.Files() {
		origins[f.Key] = f.Origin
	}
	for key, refusal := range store.Catalog.Refused {
		origins[key] = refusal.Origin
	}

	return origins, store.Catalog
}

// removeFirstFormat removes the files of the format before, in which an empty figure was 0.
func removeFirstFormat(dir string) error {
	old, err := filepath.Glob(filepath.Join(dir, "[0-9][0-9][0-9][0-9].statements*"))
	for _, path := range old {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// load reads a file, and puts it in place of an older one. If the file is refused, the older one stays, and the error
// wraps statements.ErrFormat. A file takes at most fileDeadline, so that a slow portal does not stop the register. The
// caller holds the lock of the directory.
func (l *statementLoader) load(ctx context.Context, source *statementSource) error {
	ctx, cancel := context.WithTimeout(ctx, fileDeadline)
	defer cancel()

	dir := StatementsDir(l.Dir)
	known, c := readFiles(dir)
	if known[source.key] == source.file.Origin {
		return nil // another process was faster
	}

	delete(c.Refused, source.key)
	err := l.read(ctx, dir, source, c)
	if err != nil && !errors.Is(err, statements.ErrFormat) {
		return fmt.Errorf("reading the yearly statements %s: %w", source.key, err)
	}
	if err == nil {
		return nil
	}

	err = fmt.Errorf("the yearly statements %s are refused, those loaded before stay: %w", source.key, err)
	c.Refused[source.key] = statements.Refusal{Origin: source.file.Origin, Reason: err.Error()}
	if err := l.fallBack(ctx, dir, source, c); err != nil {
		return err
	}

	return errors.Join(err, c.Write(dir))
}

// fallBack reads the file that a refused one replaces, unless one was loaded before. The newer file still counts as
// refused. An error means that the files of the key must be read again.
func (l *statementLoader) fallBack(ctx context.Context, dir string, refused *statementSource,
	c statements.Catalog) error {
	for s := refused.replaced; s != nil; s = s.replaced {
		if _, err := os.Stat(statements.Path(dir, s.key)); !errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err := l.read(ctx, dir, s, c); err != nil && !errors.Is(err, statements.ErrFormat) {
			return fmt.Errorf("reading the yearly statements %s that a refused file replaces: %w", s.key, err)
		}
	}

	return nil
}

// read reads a file, and puts it in place of an older one. The catalog says so before, because a change that it did not
// have would not be published.
func (l *statementLoader) read(ctx context.Context, dir string, source *statementSource, c statements.Catalog) error {
	legend, err := source.readLegend(ctx)
	if err != nil {
		return err
	}

	content, err := source.data.open(ctx)
	if err != nil {
		return err
	}
	defer content.Close()

	b, err := statements.NewBuilder(dir)
	if err != nil {
		return err
	}
	defer b.Close()

	l.meter.begin("statements "+source.key.String(), "bytes", source.data.size)
	hash := sha256.New()
	var input io.Reader = countingReader{contextReader{ctx, content}, l.meter.add}
	if l.isPaced {
		input = &pacedReader{ctx: ctx, Reader: input}
	}

	dropped, err := statements.Read(io.TeeReader(input, hash), legend, b.Add)
	if err != nil {
		return err
	}

	l.meter.complete()
	if dropped > 0 {
		l.dropped(source.key, dropped)
	}

	file := source.file
	file.SHA256, file.Codes = hex.EncodeToString(hash.Sum(nil)), legend.Codes()
	if err := b.Complete(file); err != nil {
		return err
	}

	c.Changed = l.now().UTC()
	if err := c.Write(dir); err != nil {
		return err
	}

	return b.Commit()
}

// loadAll loads all files that wait, of the last years up to some year. It warns of those that are not available or
// refused; its error is only that of the context. The caller holds the lock of the directory.
func (l *statementLoader) loadAll(ctx context.Context, last, years int, warn func(format string, args ...any)) error {
	var list []*statementSource
	found, err := l.find(ctx, last, years)
	if err == nil {
		list, err = l.waiting(found)
	}
	if err != nil {
		warn("the yearly statements were not read: %v", err)
	}

	for _, source := range list {
		if err := l.load(ctx, source); err != nil {
			warn("%v", err)
		}
	}

	return context.Cause(ctx)
}

// statementLoader returns the loader of the statements that belong to a release.
func (l *load) statementLoader() *statementLoader {
	dropped := func(_ statements.Key, lines int) { l.summary.Dropped[wrongStatement] += int64(lines) }
	return &statementLoader{Options: l.Options, now: time.Now, meter: l.meter, dropped: dropped}
}

// prepareActivities loads the statements of some years before the first index is built.
func (l *load) prepareActivities(ctx context.Context) error {
	if !l.first {
		return nil
	}

	years := activityYears
	if l.Statements > 0 {
		years = min(years, l.Statements)
	}

	return l.statementLoader().loadAll(ctx, l.release.date.Year()-1, years, l.warn)
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
