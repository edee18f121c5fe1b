package jobs

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rodata/rodata/api"
)

// Results writes the results of jobs to files, each when it is first requested. The files can be deleted at any time,
// because the rows are in the store.
type Results struct {
	// Store has the rows.
	Store Store
	// Dir is the folder of the files.
	Dir string

	// writing ensures that only one file is written at a time, because workbooks take much memory.
	writing sync.Mutex
}

// resultFile is a written file. Files with the same tag have the same bytes.
type resultFile struct{ path, tag string }

// file returns the file of a result, and writes it first if necessary.
func (r *Results) file(ctx context.Context, job *Job, format api.JobFormat) (resultFile, error) {
	if file, ok := r.find(job.ID, format); ok {
		return file, nil
	}

	r.writing.Lock()
	defer r.writing.Unlock()
	if file, ok := r.find(job.ID, format); ok {
		return file, nil
	}
	if err := ctx.Err(); err != nil {
		return resultFile{}, err
	}

	return r.write(ctx, job, format)
}

// find looks for a file that was already written. Its name consists of the job's id, the tag, and the format.
func (r *Results) find(id api.JobID, format api.JobFormat) (resultFile, bool) {
	found, err := filepath.Glob(filepath.Join(r.Dir, string(id)+"_*."+string(format)))
	if err != nil || len(found) == 0 {
		return resultFile{}, false
	}

	tag := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(found[0]), string(id)+"_"), "."+string(format))
	return resultFile{found[0], tag}, true
}

// write writes a file. The file gets its final name only once it is complete.
func (r *Results) write(ctx context.Context, job *Job, format api.JobFormat) (resultFile, error) {
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return resultFile{}, err
	}

	draft, err := os.CreateTemp(r.Dir, ".draft-*") // mode 0600
	if err != nil {
		return resultFile{}, err
	}
	defer os.Remove(draft.Name())
	defer draft.Close()

	sum := sha256.New()
	out := bufio.NewWriterSize(io.MultiWriter(draft, sum), 256<<10)
	if err := r.Render(ctx, job, format, out); err != nil {
		return resultFile{}, err
	}
	if err := errors.Join(out.Flush(), draft.Close()); err != nil {
		return resultFile{}, err
	}

	tag := base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12])
	path := filepath.Join(r.Dir, fmt.Sprintf("%s_%s.%s", job.ID, tag, format))
	return resultFile{path, tag}, os.Rename(draft.Name(), path)
}

// Delete deletes the files of jobs.
func (r *Results) Delete(ids []api.JobID) error {
	var errs []error
	for _, id := range ids {
		found, err := filepath.Glob(filepath.Join(r.Dir, string(id)+"_*"))
		errs = append(errs, err)
		for _, path := range found {
			errs = append(errs, os.Remove(path))
		}
	}

	return errors.Join(errs...)
}

// Tidy deletes files that are older than the lifetime of results. Delete alone is not enough: another edge of the fleet
// may delete a job, but this edge has its file.
func (r *Results) Tidy(now time.Time) error {
	entries, err := os.ReadDir(r.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}

	errs := []error{err}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > KeptFor {
			errs = append(errs, os.Remove(filepath.Join(r.Dir, entry.Name())))
		}
	}

	return errors.Join(errs...)
}
