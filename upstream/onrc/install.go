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
	i := &installation{source: r.source, publication: p, dir: r.dir, work: filepath.Join(r.dir, "taking"),
		meter: &meter{report: r.recordProgress}}
	if err := i.run(ctx); err != nil {
		return fmt.Errorf("installing the published index of %s: %w", p.Release, err)
	}

	r.refresh()
	r.log.Info("the published index of the trade register is installed", "registry", name, "release", p.Release,
		"companies", r.Status().Companies, "took", r.now().Sub(began))
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
	if newest != nil && !i.publication.follows(publicationOf(newest.summary)) && newest.opens() {
		return nil // another process was faster
	}

	if err := i.prepare(); err != nil {
		return err
	}

	total := i.publication.Size
	if i.source.host != nil {
		total *= 2 // the download counts as well
	}

	i.meter.begin("installing the index", "bytes", total)
	path, err := i.source.archive(ctx, i.publication, i.work, i.meter.add)
	if err == nil {
		err = i.unpack(ctx, path)
	}
	if err == nil {
		err = i.check()
	}
	if errors.Is(err, errUnusable) {
		return errors.Join(err, os.RemoveAll(i.work))
	}
	if err != nil {
		return err
	}

	i.meter.complete()
	return i.commit()
}

// prepare creates the working directory and empties it, except for an interrupted download of the same archive.
func (i *installation) prepare() error {
	archives, err := filepath.Glob(filepath.Join(i.work, i.publication.Archive+"*"))
	if err != nil {
		return err
	}
	if len(archives) == 0 {
		err = os.RemoveAll(i.work)
	}

	return errors.Join(err, os.RemoveAll(filepath.Join(i.work, unpacked)),
		os.MkdirAll(filepath.Join(i.work, unpacked), 0o700), os.MkdirAll(segmentsDir(i.dir), 0o700),
		os.MkdirAll(StatementsDir(i.dir), 0o700))
}

// unpacked is the directory, in the working directory, into which an archive is unpacked.
const unpacked = "unpacked"

// unpack unpacks the archive and verifies its checksum, in one pass.
func (i *installation) unpack(ctx context.Context, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()

	hash := sha256.New()
	// One byte more than announced is enough to change the checksum.
	limited := io.LimitReader(contextReader{ctx, file}, i.publication.Size+1)
	content := io.TeeReader(countingReader{limited, i.meter.add}, hash)
	err = readArchive(content, filepath.Join(i.work, unpacked))
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
	path := filepath.Join(i.work, unpacked, archivedIndex)
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

// commit moves the files into place: first the statements, each year's before the file that describes it, and then
// the segment.
func (i *installation) commit() error {
	from := filepath.Join(i.work, unpacked, archivedStatements)
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

	if err := os.Rename(filepath.Join(i.work, unpacked, archivedIndex), path); err != nil {
		return err
	}

	return errors.Join(pruneSegments(i.dir), os.RemoveAll(i.work), os.RemoveAll(filepath.Join(i.dir, "loading")))
}
