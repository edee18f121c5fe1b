package onrc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// leftover is the age at which unpublished files in the folder are removed. Another gateway may still be writing
// younger ones.
const leftover = 24 * time.Hour

// unfinished is the name prefix of files that are being written to the folder.
const unfinished = ".publishing-"

// publishServed publishes the served index. It checks every day whether the index is still published, and retries a few
// minutes after a failure.
func (r *Register) publishServed(ctx context.Context) {
	served, now := r.served.Load(), r.o.Now()
	if r.o.Publish == "" || served == nil || served.path == r.published && now.Before(r.publishAt) {
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

		r.o.Logger.Error("publishing the index of the trade register failed", "registry", name, "folder", r.o.Publish,
			"error", err, "retry", firstRetry)
	case p != nil:
		r.o.Logger.Info("the index of the trade register is published", "registry", name, "release", p.Release,
			"archive", p.Archive, "bytes", p.Size, "took", r.o.Now().Sub(now))
	}

	r.mu.Lock()
	defer r.mu.Unlock()

	r.status.PublishErr = err
}

// publishSegment publishes a segment. If the folder already has a publication that is as new, it does nothing and
// returns nil. The archive is named after its content and written before the publication file, so that a complete
// publication remains if several gateways publish concurrently.
func (r *Register) publishSegment(ctx context.Context, s *segment) (*publication, error) {
	p := publicationOf(s.summary, r.o.Dir)
	if p.isIn(r.o.Publish) {
		return nil, nil
	}

	unlock, err := lock(r.o.Dir) // a load would change the statements
	if err != nil {
		return nil, err
	}
	defer unlock()

	file, err := os.CreateTemp(r.o.Publish, unfinished+"*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name()) // no effect once the file is renamed
	defer file.Close()

	hash := sha256.New()
	if err := writeArchive(ctx, io.MultiWriter(file, hash), s.path, StatementsDir(r.o.Dir)); err != nil {
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
		os.Rename(file.Name(), filepath.Join(r.o.Publish, p.Archive))); err != nil {
		return nil, err
	}

	if err := writeJSON(filepath.Join(r.o.Publish, publicationFile), p); err != nil {
		return nil, err
	}

	return &p, pruneFolder(r.o.Publish, p.Archive, r.o.Now().Add(-leftover))
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

// publicationFile is the name of the file that describes the published archive.
const publicationFile = "register.json"

// maxPublication bounds that file, in bytes.
const maxPublication = 64 << 10

// publication describes a finished index that other gateways may install.
type publication struct {
	// Format is search.Format. A change of the archive's content must also raise it.
	Format int `json:"format"`
	// Release is the day of the release. Source is the SHA-256 of the release's origin, and Loaded the time of the
	// load.
	Release ro.Date   `json:"release"`
	Source  string    `json:"source"`
	Loaded  time.Time `json:"loaded"`
	// Statements is the time of the last change of the yearly statements; zero if there are none.
	Statements time.Time `json:"statements,omitzero"`
	// Archive is the name of the file with the index, Size its length in bytes, and SHA256 its checksum in hexadecimal.
	Archive string `json:"archive"`
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256"`
}

// publicationOf returns the publication of a load and of the statements in a register's directory, without the archive.
// For nil, it returns the zero value.
func publicationOf(s *Summary, dir string) publication {
	if s == nil {
		return publication{}
	}

	source := sha256.Sum256([]byte(s.Origin))
	catalog, _ := statements.ReadCatalog(StatementsDir(dir)) // a damaged one is written again
	return publication{Format: search.Format, Release: s.Release, Source: hex.EncodeToString(source[:]),
		Loaded: s.Loaded, Statements: catalog.Changed}
}

// follows reports whether a publication is newer than another: it has a later release, the same release, loaded later
// from changed files, or the same files with later statements.
func (p publication) follows(other publication) bool {
	switch {
	case p.Release != other.Release:
		return p.Release > other.Release
	case p.Source != other.Source:
		return p.Loaded.After(other.Loaded)
	}
	return p.Statements.After(other.Statements)
}

// errUnusable marks a publication that exists but can never be used, because it is damaged or in another format.
var errUnusable = errors.New("the published index cannot be used")

var (
	archiveName = regexp.MustCompile(`^\d{4}-\d\d-\d\d-[0-9a-f]{16}\.tar$`)
	checksum    = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// readPublication parses and checks a publication file.
func readPublication(body []byte) (p publication, err error) {
	if err := json.Unmarshal(body, &p); err != nil {
		return p, fmt.Errorf("%w: reading %s: %w", errUnusable, publicationFile, err)
	}

	switch {
	case p.Format != search.Format:
		return p, fmt.Errorf("%w: it has format %d, this program reads format %d", errUnusable, p.Format, search.Format)
	case p.Release == 0 || !archiveName.MatchString(p.Archive) || !checksum.MatchString(p.SHA256):
		return p, fmt.Errorf("%w: %s does not say what is published", errUnusable, publicationFile)
	case p.Size <= 0 || p.Size > maxFile:
		return p, fmt.Errorf("%w: its archive would have %d bytes; the limit is %d", errUnusable, p.Size,
			int64(maxFile))
	}

	return p, nil
}
