package search

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"os"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/ro"
)

// sortMemory is the maximum size of the firms held in memory while sorting, in bytes. Indexing needs about as much
// memory for each million firms in addition. It is a variable for the test of sorting on disk.
var sortMemory = 256 << 20

const progressEvery = 1 << 14 // firms

// partial is the suffix of a segment's directory while it is being built.
const partial = ".partial"

// Build writes the index of a release into a new directory. The directory must not exist, and exists afterwards only
// if Build succeeds. Build stops at the first error that firms yields. It removes the remains of an earlier build that
// was killed. It calls progress, unless that is nil, regularly with the number of indexed firms and the number of all
// firms. The first call, with no indexed firms, comes after all firms have been read.
func Build(ctx context.Context, dir string, release ro.Date, firms iter.Seq2[Firm, error],
	progress func(indexed, all int64)) error {
	if _, err := os.Stat(dir); err == nil {
		return fmt.Errorf("building the index: %s exists already", dir)
	}

	work := dir + partial
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	if err := os.MkdirAll(work, 0o700); err != nil {
		return err
	}

	err := build(ctx, work, release, firms, progress)
	if err == nil {
		err = os.Rename(work, dir)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("building the index: %w", err), os.RemoveAll(work))
	}

	return nil
}

func build(ctx context.Context, dir string, release ro.Date, firms iter.Seq2[Firm, error],
	progress func(indexed, all int64)) (err error) {
	b, err := newBuilder(dir, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()

	if err := b.receive(ctx, firms); err != nil {
		return err
	}
	if err := b.sorter.each(ctx, b.indexLine); err != nil {
		return err
	}
	if err := b.finish(ctx); err != nil {
		return err
	}

	return writeManifest(dir, manifest{Format: Format, Release: release, Firms: int(b.indexed), Files: b.seals})
}

// builder is a segment being built.
type builder struct {
	dir               string
	progress          func(indexed, all int64)
	received, indexed int64 // numbers of firms
	sorter            sorter
	lexicon           lexiconBuilder
	out               map[string]*output
	seals             map[string]fileSeal
	// The content of the lookups and orders.
	dates, taxIDs, numbers, joined spool
}

func newBuilder(dir string, progress func(indexed, all int64)) (*builder, error) {
	b := &builder{dir: dir, progress: progress, out: map[string]*output{}, seals: map[string]fileSeal{}}
	if b.progress == nil {
		b.progress = func(int64, int64) {}
	}

	b.sorter = sorter{dir: dir, memory: sortMemory}
	b.lexicon.positions = map[string]int{}
	for name, s := range map[string]*spool{"dates": &b.dates, "tax": &b.taxIDs, "numbers": &b.numbers,
		"joined": &b.joined} {
		var err error
		if s.output, err = create(dir, name+".spool"); err != nil {
			return nil, errors.Join(err, b.close())
		}
	}

	for _, name := range []string{recordsFile, offsetsFile, lexiconFile, postingsFile, datesFile, taxOrderFile,
		taxIDsFile, numbersFile, joinedFile} {
		var err error
		if b.out[name], err = create(dir, name); err != nil {
			return nil, errors.Join(err, b.close())
		}
	}

	return b, nil
}

// close removes the temporary files.
func (b *builder) close() error {
	err := b.sorter.close()
	for _, s := range []spool{b.dates, b.taxIDs, b.numbers, b.joined} {
		if s.output != nil {
			err = errors.Join(err, s.file.Close(), os.Remove(s.file.Name()))
		}
	}

	for _, out := range b.out {
		out.file.Close() // finish may have closed it already and returned the error
	}

	return err
}

// receive passes all firms to the sorter. The line of a firm begins with its name key and number, which determine its
// doc, and its position, which orders firms with the same name and number. Its record and the record's offset in the
// line follow.
func (b *builder) receive(ctx context.Context, firms iter.Seq2[Firm, error]) error {
	var line []byte
	for f, err := range firms {
		if err != nil {
			return err
		}

		key := spelling.CompanyKey(f.Name)
		line = append(append(line[:0], key...), 0)
		line = append(append(line, f.Number...), 0)
		line = binary.BigEndian.AppendUint32(line, uint32(b.received))
		offset := uint32(len(line))
		line = binary.BigEndian.AppendUint32(appendRecord(line, &f, key), offset)
		if err := b.sorter.add(line); err != nil {
			return err
		}
		if b.received++; b.received%progressEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}

	b.progress(0, b.received)
	return nil
}
