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
	"strings"
	"time"
)

// leftover is the age at which unpublished files in the folder are removed. Another gateway may still be writing
// younger ones.
const leftover = 24 * time.Hour

// unfinished is the name prefix of files that are being written to the folder.
const unfinished = ".publishing-"

// publishServed publishes the served index. It checks every day whether the index is still published, and retries a few
// minutes after a failure.
func (r *Register) publishServed(ctx context.Context) {
	if r.publish == "" {
		return
	}

	served := r.served.Load()
	if served == nil {
		return
	}

	now := r.now()
	if served.path == r.published && now.Before(r.publishAt) {
		return
	}

	r.published, r.publishAt = served.path, now.Add(checkEvery)
	p, err := r.publishSegment(ctx, served.segment)
	switch {
	case err != nil:
		r.publishAt = now.Add(firstRetry)
		if ctx.Err() != nil || errors.Is(err, ErrBusy) {
			return
		}

		r.log.Error("publishing the index of the trade register failed", "registry", name, "folder", r.publish,
			"error", err, "retry", firstRetry)
	case p != nil:
		r.log.Info("the index of the trade register is published", "registry", name, "release", p.Release,
			"archive", p.Archive, "bytes", p.Size, "took", r.now().Sub(now))
	}

	r.mu.Lock()
	defer r.mu.Unlock()

	r.status.PublishErr = err
}

// publishSegment publishes a segment. If the folder already has a publication that is as new, it does nothing and
// returns nil. The archive is named after its content and written before the publication file, so that a complete
// publication remains if several gateways publish concurrently.
func (r *Register) publishSegment(ctx context.Context, s *segment) (*publication, error) {
	p := publicationOf(s.summary)
	if p.isIn(r.publish) {
		return nil, nil
	}

	unlock, err := lock(r.dir) // a load would change the statements
	if err != nil {
		return nil, err
	}
	defer unlock()

	file, err := os.CreateTemp(r.publish, unfinished+"*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name()) // no effect once the file is renamed
	defer file.Close()

	hash := sha256.New()
	if err := writeArchive(ctx, io.MultiWriter(file, hash), s.path, StatementsDir(r.dir)); err != nil {
		return nil, err
	}

	info, err := file.Stat()
	if err != nil {
		return nil, err
	}

	p.Size, p.SHA256 = info.Size(), hex.EncodeToString(hash.Sum(nil))
	p.Archive = fmt.Sprintf("%s-%s.tar", p.Release, p.SHA256[:16])
	// The group may read the file, for example a web server.
	if err := errors.Join(file.Chmod(0o640), file.Sync(),
		os.Rename(file.Name(), filepath.Join(r.publish, p.Archive))); err != nil {
		return nil, err
	}

	if err := p.announce(r.publish); err != nil {
		return nil, err
	}

	return &p, pruneFolder(r.publish, p.Archive, r.now().Add(-leftover))
}

// isIn reports whether a folder already has a publication that is as new, or one for a later version of this program.
func (p publication) isIn(folder string) bool {
	var there publication
	if readJSON(filepath.Join(folder, publicationFile), &there) != nil || !archiveName.MatchString(there.Archive) {
		return false
	}

	info, err := os.Stat(filepath.Join(folder, there.Archive))
	return err == nil && info.Size() == there.Size &&
		(there.Format > p.Format || there.Format == p.Format && !p.follows(there))
}

// announce makes the publication visible to other gateways.
func (p publication) announce(folder string) error {
	return writeJSON(filepath.Join(folder, publicationFile), p)
}

// pruneFolder removes unfinished files, and archives other than keep, if they are older than a time.
func pruneFolder(folder, keep string, before time.Time) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}

	var errs []error
	for _, e := range entries {
		ours := archiveName.MatchString(e.Name()) || strings.HasPrefix(e.Name(), unfinished)
		info, err := e.Info()
		if !ours || e.Name() == keep || err != nil || !info.ModTime().Before(before) {
			continue
		}
		if err := os.Remove(filepath.Join(folder, e.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}

	return errors.Join(errs...)
}
