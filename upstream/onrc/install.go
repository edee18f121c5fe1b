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

	"github.com/rodata/rodata/upstream/internal/index"
)

// patience is the time for which a source may be unreadable before this gateway builds an index on its own.
const patience = 24 * time.Hour

// install installs the published index if it is newer than the served one.
func (r *Register) install(ctx context.Context) error {
	p, err := r.source.publication(ctx)
	if err != nil {
		return fmt.Errorf("looking for a published index: %w", err)
	}
	if !p.follows(publicationOf(r.summary())) {
		return nil
	}

	r.log.Info("installing the published index of the trade register", "registry", name, "release", p.Release,
		"bytes", p.Size)
	began := r.now()
	t := &installation{source: r.source, publication: p, dir: r.dir, work: filepath.Join(r.dir, "taking"),
		meter: &meter{report: r.loading}}
	if err := t.run(ctx); err != nil {
		return fmt.Errorf("installing the published index of %s: %w", p.Release, err)
	}

	r.refresh()
	r.log.Info("the published index of the trade register is installed", "registry", name, "release", p.Release,
		"companies", r.Status().Companies, "took", r.now().Sub(began))
	return nil
}

// givesUp records the outcome of an installation. It reports whether to build an index instead, because the published
// one is unusable or has been unreachable for too long.
func (r *Register) givesUp(ctx context.Context, err error) bool {
	if err != nil && (ctx.Err() != nil || errors.Is(err, ErrBusy)) {
		return false
	}

	r.mu.Lock()
	r.status.InstallErr = err
	r.mu.Unlock()
	if err == nil {
		r.failingSince = time.Time{}
		return false
	}
	if r.failingSince.IsZero() {
		r.failingSince = r.now()
	}

	return r.portal != nil && (errors.Is(err, errUnusable) || r.now().Sub(r.failingSince) >= patience)
}

// installation downloads a published index and makes it the newest segment.
type installation struct {
	source      *Source
	publication publication
	dir, work   string
	meter       *meter
}

// run performs the installation. It may be interrupted at any point. Until the last step it changes only the working
// directory, in which a later run resumes the download.
func (t *installation) run(ctx context.Context) error {
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
		return nil // another process was faster
	}

	if err := t.prepare(); err != nil {
		return err
	}

	total := t.publication.Size
	if t.source.host != nil {
		total *= 2 // the download counts as well
	}

	t.meter.begin("taking the index", "bytes", total)
	path, err := t.source.archive(ctx, t.publication, t.work, t.meter.add)
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
	return t.switchOver()
}

// prepare creates the working directory and empties it, except for an interrupted download of the same archive.
func (t *installation) prepare() error {
	archives, err := filepath.Glob(filepath.Join(t.work, t.publication.Archive+"*"))
	if err != nil {
		return err
	}
	if len(archives) == 0 {
		err = os.RemoveAll(t.work)
	}

	return errors.Join(err, os.RemoveAll(filepath.Join(t.work, unpacked)),
		os.MkdirAll(filepath.Join(t.work, unpacked), 0o700), os.MkdirAll(segmentsDir(t.dir), 0o700),
		os.MkdirAll(StatementsDir(t.dir), 0o700))
}

// unpacked is the directory, in the working directory, into which an archive is unpacked.
const unpacked = "unpacked"

// unpack unpacks the archive and verifies its checksum, in one pass.
func (t *installation) unpack(ctx context.Context, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()

	hash := sha256.New()
	// One byte more than announced is enough to change the checksum.
	limited := io.LimitReader(contextReader{ctx, file}, t.publication.Size+1)
	content := io.TeeReader(countingReader{limited, t.meter.add}, hash)
	err = readArchive(content, filepath.Join(t.work, unpacked))
	if _, reading := io.Copy(io.Discard, content); reading != nil {
		return reading
	}

	if sum := hex.EncodeToString(hash.Sum(nil)); sum != t.publication.SHA256 {
		return fmt.Errorf("%w: %s is damaged: its checksum is %s, announced was %s", errUnusable, t.publication.Archive,
			sum, t.publication.SHA256)
	}

	return err
}

// check opens the unpacked index.
func (t *installation) check() error {
	path := filepath.Join(t.work, unpacked, archivedIndex)
	x, err := index.Open(path)
	if err != nil {
		return fmt.Errorf("%w: %w", errUnusable, err)
	}
	defer x.Close()

	if summary := readSummary(path); summary == nil || summary.Release != t.publication.Release ||
		x.Release() != t.publication.Release {
		return fmt.Errorf("%w: it is not of %s, as announced", errUnusable, t.publication.Release)
	}

	return nil
}

// switchOver moves the files into place: first the statements, each year's before the file that describes it, and then
// the segment.
func (t *installation) switchOver() error {
	from := filepath.Join(t.work, unpacked, archivedStatements)
	years, err := os.ReadDir(from)
	if err != nil {
		return err
	}

	for _, file := range years { // in name order
		to := filepath.Join(StatementsDir(t.dir), file.Name())
		if err := os.Rename(filepath.Join(from, file.Name()), to); err != nil {
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
