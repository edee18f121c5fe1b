package onrc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// patience is for how long a depot that cannot be read is waited for before this
// gateway builds an index of its own.
const patience = 24 * time.Hour

// take takes what is published if that is news after what is served.
func (r *Register) take(ctx context.Context) error {
	p, err := r.depot.publication(ctx)
	if err != nil {
		return fmt.Errorf("looking for a published index: %w", err)
	}
	if !p.follows(publicationOf(r.summary())) {
		return nil
	}
	r.log.Info("taking the published index of the trade register", "registry", name, "release", p.Release, "bytes", p.Size)
	began := r.now()
	t := &taking{depot: r.depot, publication: p, dir: r.dir, work: filepath.Join(r.dir, "taking"), meter: &meter{report: r.loading}}
	if err := t.run(ctx); err != nil {
		return fmt.Errorf("taking the published index of %s: %w", p.Release, err)
	}
	r.refresh()
	r.log.Info("the published index of the trade register is taken", "registry", name, "release", p.Release,
		"companies", r.Status().Companies, "took", r.now().Sub(began))
	return nil
}

// givesUp notes how a take ended, and reports whether to build instead: when what
// is published is of no use, or could not be had for too long.
func (r *Register) givesUp(ctx context.Context, err error) bool {
	if err != nil && (ctx.Err() != nil || errors.Is(err, ErrBusy)) {
		return false
	}
	r.mu.Lock()
	r.status.TakeErr = err
	r.mu.Unlock()
	if err == nil {
		r.missedSince = time.Time{}
		return false
	}
	if r.missedSince.IsZero() {
		r.missedSince = r.now()
	}
	return r.portal != nil && (errors.Is(err, errUnusable) || r.now().Sub(r.missedSince) >= patience)
}

// taking is one published index on its way into a directory.
type taking struct {
	depot       *Depot
	publication publication
	dir, work   string
	meter       *meter
}

// run makes the published index the newest segment. It may be interrupted at any
// point: until the last step nothing is changed but the directory of the work,
// in which a download goes on.
func (t *taking) run(ctx context.Context) error {
	unlock, err := lock(t.dir)
	if err != nil {
		return err
	}
	defer unlock()
	newest, err := newestSegment(t.dir)
	if err != nil {
		return err
	}
	if newest != nil && !t.publication.follows(publicationOf(newest.summary)) && newest.opens() {
		return nil // another process was quicker
	}
	if err := t.prepare(); err != nil {
		return err
	}
	total := t.publication.Size
	if t.depot.host != nil {
		total *= 2 // it is fetched first
	}
	t.meter.begin("taking the index", "bytes", total)
	path, err := t.depot.archive(ctx, t.publication, t.work, t.meter.add)
	if err == nil {
		err = t.unpack(ctx, path)
	}
	if err == nil {
		err = t.check()
	}
	if errors.Is(err, errUnusable) {
		return errors.Join(err, os.RemoveAll(t.work))
	}
	if err != nil {
		return err
	}
	t.meter.complete()
	return t.changeOver()
}

// prepare makes the directory of the work, and empties it of all but a download
// of the same archive.
func (t *taking) prepare() error {
	archives, err := filepath.Glob(filepath.Join(t.work, t.publication.Archive+"*"))
	if err != nil {
		return err
	}
	if len(archives) == 0 {
		err = os.RemoveAll(t.work)
	}
	return errors.Join(err, os.RemoveAll(filepath.Join(t.work, unpacked)),
		os.MkdirAll(filepath.Join(t.work, unpacked), 0o700), os.MkdirAll(segmentsDir(t.dir), 0o700), os.MkdirAll(StatementsDir(t.dir), 0o700))
}

// unpacked is the directory of the work that an archive is unpacked into.
const unpacked = "unpacked"

// unpack unpacks the archive and checks what was unpacked against the checksum,
// in one reading.
func (t *taking) unpack(ctx context.Context, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	hash := sha256.New()
	// One byte more than it should have is enough to give another checksum.
	content := io.TeeReader(io.LimitReader(endingReader{ctx, file}, t.publication.Size+1), io.MultiWriter(hash, counter(t.meter.add)))
	err = readArchive(content, filepath.Join(t.work, unpacked))
	if _, reading := io.Copy(io.Discard, content); reading != nil {
		return reading
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); sum != t.publication.SHA256 {
		return fmt.Errorf("%w: %s is damaged: its checksum is %s, announced was %s", errUnusable, t.publication.Archive, sum, t.publication.SHA256)
	}
	return err
}

// check opens the index that was unpacked.
func (t *taking) check() error {
	s := &segment{path: filepath.Join(t.work, unpacked, archivedIndex)}
	e, err := openEdition(s)
	if err != nil {
		return fmt.Errorf("%w: %w", errUnusable, err)
	}
	defer e.leave()
	if summary := readSummary(s.path); summary == nil || summary.Release != t.publication.Release || e.index.Release() != t.publication.Release {
		return fmt.Errorf("%w: it is not of %s, as announced", errUnusable, t.publication.Release)
	}
	return nil
}

// changeOver puts the statements in their place, each year before the file that
// says what it was made of, and then the segment.
func (t *taking) changeOver() error {
	from := filepath.Join(t.work, unpacked, archivedStatements)
	years, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, file := range years { // in the order of their names
		if err := os.Rename(filepath.Join(from, file.Name()), filepath.Join(StatementsDir(t.dir), file.Name())); err != nil {
			return err
		}
	}
	path, err := nextSegment(t.dir, t.publication.Release)
	if err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(t.work, unpacked, archivedIndex), path); err != nil {
		return err
	}
	return errors.Join(pruneSegments(t.dir), os.RemoveAll(t.work), os.RemoveAll(filepath.Join(t.dir, "loading")))
}

// counter counts what is written to it.
type counter func(int64)

func (c counter) Write(p []byte) (int, error) {
	c(int64(len(p)))
	return len(p), nil
}
