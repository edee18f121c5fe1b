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

	"github.com/rodata/rodata/search"
)

// patience is the time for which a source may be unreadable before this gateway loads releases itself.
const patience = 24 * time.Hour

// install installs the published index if it is newer than the served one.
func (r *Register) install(ctx context.Context) error {
	p, err := r.o.Source.publication(ctx)
	if err != nil {
		return fmt.Errorf("looking for a published index: %w", err)
	}
	if !p.follows(publicationOf(r.summary(), r.o.Dir)) {
		return nil
	}

	r.o.Logger.Info("installing the published index of the trade register", "registry", name, "release", p.Release,
		"bytes", p.Size)
	began := r.o.Now()
	i := &installation{source: r.o.Source, publication: p, dir: r.o.Dir, work: filepath.Join(r.o.Dir, "taking"),
		meter: &meter{report: r.recordProgress}}
	if err := i.run(ctx); err != nil {
		return fmt.Errorf("installing the published index of %s: %w", p.Release, err)
	}

	r.refresh()
	r.o.Logger.Info("the published index of the trade register is installed", "registry", name, "release", p.Release,
		"companies", r.Status().Companies, "took", r.o.Now().Sub(began))
	return nil
}

// recordInstall records the outcome of an installation. It reports whether to load a release instead, because the
// published index is unusable or has been unreachable for too long.
func (r *Register) recordInstall(ctx context.Context, err error) (loadInstead bool) {
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
		r.failingSince = r.o.Now()
	}

	return r.o.Portal != nil && (errors.Is(err, errUnusable) || r.o.Now().Sub(r.failingSince) >= patience)
}

// installation downloads a published index and makes it the newest segment.
type installation struct {
	source      *Source
	publication publication
	dir, work   string
	meter       *meter
}

// run performs the installation. It may be interrupted at any point: until the last step it changes only the working
// directory.
func (i *installation) run(ctx context.Context) error {
	unlock, err := lock(i.dir)
	if err != nil {
		return err
	}
	defer unlock()

	newest, err := newestSegment(i.dir)
	if err != nil {
		return err
	}
	if newest != nil && !i.publication.follows(publicationOf(newest.summary, i.dir)) && newest.opens() {
		return nil // another process was faster
	}

	if err := os.RemoveAll(i.work); err != nil { // of an interrupted run
		return err
	}
	defer os.RemoveAll(i.work)

	for _, dir := range []string{i.work, segmentsDir(i.dir), StatementsDir(i.dir)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}

	i.meter.begin("installing the index", "bytes", i.publication.Size)
	if err := i.unpack(ctx); err != nil {
		return err
	}
	if err := i.check(); err != nil {
		return err
	}

	i.meter.complete()
	return i.commit()
}

// unpack unpacks the archive as it arrives, and verifies its checksum.
func (i *installation) unpack(ctx context.Context) error {
	archive, err := i.source.archive(ctx, i.publication)
	if err != nil {
		return err
	}
	defer archive.Close()

	hash := sha256.New()
	// One byte more than announced is enough to change the checksum.
	limited := io.LimitReader(contextReader{ctx, archive}, i.publication.Size+1)
	content := io.TeeReader(countingReader{limited, i.meter.add}, hash)
	err = readArchive(content, i.work)
	if _, readErr := io.Copy(io.Discard, content); readErr != nil {
		return readErr
	}

	if sum := hex.EncodeToString(hash.Sum(nil)); sum != i.publication.SHA256 {
		return fmt.Errorf("%w: %s is damaged: its checksum is %s, announced was %s", errUnusable, i.publication.Archive,
			sum, i.publication.SHA256)
	}

	return err
}

// check opens the unpacked index.
func (i *installation) check() error {
	path := filepath.Join(i.work, archivedIndex)
	x, err := search.Open(path)
	if err != nil {
		return fmt.Errorf("%w: %w", errUnusable, err)
	}
	defer x.Close()

	if summary := readSummary(path); summary == nil || summary.Release != i.publication.Release ||
		x.Release() != i.publication.Release {
		return fmt.Errorf("%w: it is not of %s, as announced", errUnusable, i.publication.Release)
	}

	return nil
}

// commit moves the files into place: first the statements, then the catalog that describes them, and then the segment.
func (i *installation) commit() error {
	from := filepath.Join(i.work, archivedStatements)
	years, err := os.ReadDir(from)
	if err != nil {
		return err
	}

	for _, file := range years { // in name order
		to := filepath.Join(StatementsDir(i.dir), file.Name())
		if err := os.Rename(filepath.Join(from, file.Name()), to); err != nil {
			return err
		}
	}

	path, err := nextSegment(i.dir, i.publication.Release)
	if err != nil {
		return err
	}

	if err := os.Rename(filepath.Join(i.work, archivedIndex), path); err != nil {
		return err
	}

	return errors.Join(pruneSegments(i.dir), removeFirstFormat(StatementsDir(i.dir)),
		os.RemoveAll(filepath.Join(i.dir, "loading")))
}
