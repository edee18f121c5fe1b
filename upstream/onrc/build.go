package onrc

import (
	"context"
	"errors"
	"os"

	"github.com/rodata/rodata/search"
)

// build joins the parts and indexes the companies.
func (l *load) build(ctx context.Context, path string) error {
	names, err := l.stateNames(ctx)
	if err != nil {
		l.warn("the names of the states could not be read, only the most common codes are understood: %v", err)
	}

	j := &join{
		dir: l.work, ranks: ranks(names), stateNames: names, mainActivities: l.mainActivities(),
		tables: []*table{firmTable}, kept: l.kept,
		dropped: reasons{}, counts: map[*table]int64{}, joined: l.meter.add,
	}

	for _, t := range tables {
		if _, ok := l.kept[t]; ok && t != firmTable {
			j.tables = append(j.tables, t)
		}
	}

	l.meter.begin("joining the files", "rows", j.rows())
	o := search.BuildOptions{Progress: l.reportIndexing()}
	if err := search.Build(ctx, path, l.release.date, j.firms(ctx), o); err != nil {
		return err
	}

	l.meter.complete()
	reasons(l.summary.Dropped).add(j.dropped)
	if err := l.summary.enough(l.baseline()); err != nil {
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
