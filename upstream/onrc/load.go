package onrc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/upstream/siruta"
)

// Options determine the release to load, and its directory.
type Options struct {
	// Portal is the source of releases. Required, unless From is given.
	Portal *Portal
	// From is a directory with the files of a release to load instead.
	From string
	// Dir is the directory of the register. It is created if missing. Required.
	Dir string
	// Statements is the number of years whose statements are loaded. Default: all.
	Statements int
	// Force loads a release even if it has far fewer rows than the previous one.
	Force bool
	// Progress receives the progress several times a second, never concurrently. It may be nil.
	Progress func(Progress)
}

// ErrCurrent means that the newest release is already loaded.
var ErrCurrent = errors.New("the newest release is loaded already")

// ErrBusy means that another process holds the lock of the directory.
var ErrBusy = errors.New("another process is loading the trade register")

// Load loads a release: it downloads the files, splits them into parts, joins the parts, builds an index of the
// companies, and makes it the served one. Load may be interrupted at any point. The next load of the same release
// continues with the files already read, or rebuilds the index. The previous index is served until the very end. Then
// Load loads the yearly statements that are new, one file at a time.
//
// Load returns ErrCurrent, with the summary of the previous load, if there is nothing new; ErrBusy if another process
// holds the lock of the directory; and ErrRefused if the release is implausible. After any other error, a retry may
// help.
func Load(ctx context.Context, o Options) (*Summary, error) {
	release, err := o.release(ctx)
	if err != nil {
		return nil, fmt.Errorf("looking for a release of the trade register: %w", err)
	}

	s, err := o.load(ctx, release)
	if err == nil || errors.Is(err, ErrCurrent) {
		err = errors.Join(err, o.loadStatements(ctx, release, s))
	}

	return s, err
}

// loadStatements loads the statements that belong to a release, and adds to its summary what went wrong.
func (o Options) loadStatements(ctx context.Context, r *release, s *Summary) error {
	l := &load{Options: o, release: r, summary: s, meter: &meter{report: o.Progress}}
	unlock, err := lock(o.Dir)
	if errors.Is(err, ErrBusy) {
		l.warn("the yearly statements were not read: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock()

	return l.statementLoader().loadAll(ctx, r.date.Year()-1, o.Statements, l.warn)
}

func (o Options) release(ctx context.Context) (*release, error) {
	if o.From != "" {
		return folderRelease(o.From)
	}
	return o.Portal.latest(ctx)
}

func (o Options) load(ctx context.Context, r *release) (*Summary, error) {
	unlock, err := lock(o.Dir)
	if err != nil {
		return nil, err
	}
	defer unlock()

	previous, err := newestSegment(o.Dir)
	if err != nil {
		return nil, err
	}

	l := &load{
		Options: o, release: r, work: filepath.Join(o.Dir, "loading"), began: time.Now(),
		meter: &meter{report: o.Progress},
		summary: &Summary{Release: r.date, Origin: r.origin(), From: o.From, Rows: map[string]int64{},
			Bytes: map[string]int64{}, Dropped: reasons{}},
	}
	l.first = previous == nil || !previous.opens()
	if previous != nil {
		if o.From == "" && !r.follows(previous.summary) && !l.first {
			return previous.summary, ErrCurrent
		}
		if !o.Force {
			l.baseline = previous.summary
		}
	}

	err = l.run(ctx)
	if err == nil {
		return l.summary, nil
	}
	if errors.Is(err, ErrRefused) {
		err = errors.Join(err, writeJSON(refusalPath(o.Dir), refusal{l.summary.Origin, err.Error()}))
	}
	if errors.Is(err, ErrRefused) || errors.Is(err, errDamagedParts) {
		err = errors.Join(err, os.RemoveAll(l.work))
	}

	return nil, fmt.Errorf("loading the release of %s: %w", r.date, err)
}

// load is one load in progress.
type load struct {
	Options
	release  *release
	first    bool     // there is no index yet that can be used
	baseline *Summary // the summary with which the release is compared, or nil
	work     string   // working directory
	began    time.Time
	meter    *meter
	summary  *Summary
	kept     map[*table]int64 // records in the parts
}

func (l *load) run(ctx context.Context) error {
	if err := l.prepare(); err != nil {
		return err
	}
	if err := l.readFiles(ctx); err != nil {
		return err
	}

	if err := l.summary.plausible(l.baseline); err != nil {
		return err
	}

	if err := l.prepareActivities(ctx); err != nil {
		return err
	}

	path, err := nextSegment(l.Dir, l.release.date)
	if err != nil {
		return err
	}

	if err := l.build(ctx, path); err != nil {
		return err
	}

	l.summary.Loaded, l.summary.Took = time.Now().UTC(), time.Since(l.began)
	if err := writeJSON(filepath.Join(path, summaryFile), l.summary); err != nil {
		return err
	}

	return errors.Join(pruneSegments(l.Dir), os.RemoveAll(l.work))
}

// prepare creates the directories, and removes what other loads left in them.
func (l *load) prepare() error {
	mark := filepath.Join(l.work, "release.json")
	var origin string
	if readJSON(mark, &origin) != nil || origin != l.summary.Origin {
		if err := os.RemoveAll(l.work); err != nil {
			return err
		}
	}

	if err := errors.Join(os.MkdirAll(l.work, 0o700), os.MkdirAll(segmentsDir(l.Dir), 0o700),
		pruneSegments(l.Dir)); err != nil {
		return err
	}

	return writeJSON(mark, l.summary.Origin)
}

func (l *load) warn(format string, args ...any) {
	l.summary.Warnings = append(l.summary.Warnings, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// build joins the parts and indexes the companies.
func (l *load) build(ctx context.Context, path string) error {
	names, err := l.stateNames(ctx)
	if err != nil {
		l.warn("the names of the states could not be read, only the most common codes are understood: %v", err)
	}

	j := &join{
		dir: l.work, ranks: ranks(names), stateNames: names, mainActivities: l.mainActivities(),
		tables: []*table{firmTable}, kept: l.kept, joined: l.meter.add, activities: activities{},
		reader:  &firmReader{places: newGazetteer(siruta.Load()), dropped: l.summary.Dropped},
		dropped: l.summary.Dropped, counts: map[*table]int64{},
	}
	for _, t := range tables {
		if _, ok := l.kept[t]; ok && t != firmTable {
			j.tables = append(j.tables, t)
		}
	}

	l.meter.begin("joining the files", "rows", j.rows())
	if err := search.Build(ctx, path, l.release.date, j.firms(ctx), l.reportIndexing()); err != nil {
		return err
	}

	l.meter.complete()
	if err := l.summary.enough(l.baseline); err != nil {
		return errors.Join(err, os.RemoveAll(path))
	}

	return nil
}

// reportIndexing reports the indexing as a separate step: its total is known once the last row has been joined.
func (l *load) reportIndexing() func(indexed, all int64) {
	var before int64
	return func(indexed, all int64) {
		if indexed == 0 {
			l.meter.complete()
			l.meter.begin("building the index", "companies", all)
		}

		l.meter.add(indexed - before)
		before, l.summary.Companies = indexed, indexed
	}
}

// stateNames returns the names of the state codes. It returns none if the release has no nomenclature.
func (l *load) stateNames(ctx context.Context) (map[string]string, error) {
	file, ok := l.release.files[stateNamesFile]
	if !ok {
		return nil, errors.New("the release has no nomenclature")
	}

	content, err := file.open(ctx)
	if err != nil {
		return nil, err
	}
	defer content.Close()

	return readStateNames(content)
}
