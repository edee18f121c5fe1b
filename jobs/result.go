package jobs

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// Results writes the results of jobs to files, each when it is first requested. The files can be deleted at any time,
// because the rows are in the store.
type Results struct {
	// Store holds the rows.
	Store Store
	// Dir is the folder of the files.
	Dir string
	// Through returns the day of the trade register's data, or zero. It may be nil.
	Through func() ro.Date

	files            op.Slots // for each file that is being written, one
	writing, parquet op.Slots // for each account
}

const (
	// allWriting is the maximum number of results that are written concurrently: of all accounts, and of one, so that
	// neither another account nor another job of the same account waits for a large file.
	allWriting = 8
	ownWriting = 2
	// allParquet is the maximum number of Parquet files among them, with one of each account. Writing one may take
	// 300 MiB of memory.
	allParquet = 2
	ownParquet = 1
	// fieldSize is the estimated size of a field with its name, in bytes.
	fieldSize = 64
)

// resultFile is a written file. Files with the same tag have the same bytes.
type resultFile struct{ path, tag string }

// estimate returns the approximate size of the largest result of a job, which is NDJSON because it repeats the names of
// the columns.
func estimate(job *Job, cells int64) int64 {
	row := len(job.Order.Fields) * fieldSize
	for _, name := range job.Order.Columns {
		row += len(name) + len(`"":"",`)
	}
	return int64(job.Total)*int64(row) + cells
}

// file returns the file of a result, and writes it first if necessary.
func (r *Results) file(ctx context.Context, j *Job, order job.ResultOrder, limits Limits) (resultFile, error) {
	name := string(j.ID)
	if !j.Status.Ended() {
		name += fmt.Sprintf("-%d", j.Done)
	}
	if file, ok := r.find(name, order.Format); ok {
		return file, nil
	}

	// Whoever waits for the same file takes no slot of the account.
	same := metering.BucketID{Account: fmt.Sprintf("%s.%s", name, order.Format)}
	if !r.files.Await(ctx, same, math.MaxInt, 1) {
		return resultFile{}, ctx.Err()
	}
	defer r.files.Leave(same)

	account := metering.BucketID{Account: j.Account}
	if order.Format == job.Parquet {
		if !r.parquet.Await(ctx, account, allParquet, ownParquet) {
			return resultFile{}, ctx.Err()
		}
		defer r.parquet.Leave(account)
	}
	if !r.writing.Await(ctx, account, allWriting, ownWriting) {
		return resultFile{}, ctx.Err()
	}
	defer r.writing.Leave(account)
	if file, ok := r.find(name, order.Format); ok {
		return file, nil
	}
	if err := r.makeRoom(ctx, j, limits); err != nil {
		return resultFile{}, err
	}

	file, err := r.write(ctx, j, name, order, limits)
	if _, gone := r.Store.Job(ctx, j.Account, j.ID); gone != nil { // it was deleted meanwhile, with its other files
		return resultFile{}, errors.Join(gone, err, os.RemoveAll(file.path))
	}
	return file, err
}

// find looks for a file that was already written. Its name consists of the job's id, the number of rows that are ready
// if there are others, the tag, and the format.
func (r *Results) find(name string, format job.Format) (resultFile, bool) {
	found, err := filepath.Glob(filepath.Join(r.Dir, name+"_*."+string(format)))
	if err != nil || len(found) == 0 {
		return resultFile{}, false
	}

	tag := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(found[0]), name+"_"), "."+string(format))
	return resultFile{found[0], tag}, true
}

// checkDisk creates the folder, and returns a problem if its disk has less than the given number of bytes. The
// consequence completes the problem's detail.
func (r *Results) checkDisk(least int64, consequence string) error {
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return err
	}

	if free, err := freeSpace(r.Dir); err != nil || free < least {
		p := problem.Unavailable.New("the gateway's disk is almost full: %s; try again later", consequence).
			After(time.Hour)
		return errors.Join(p, err)
	}

	return nil
}

// makeRoom deletes the oldest results of an account until the limit leaves space for another one. Those that are being
// written count, and stay. It returns a problem if the disk is almost full.
func (r *Results) makeRoom(ctx context.Context, job *Job, limits Limits) error {
	if err := r.checkDisk(limits.Free, notWritten); err != nil {
		return err
	}

	all, err := r.Store.Jobs(ctx, job.Account, limits.Kept, 0)
	if err != nil {
		return err
	}

	own := make(map[string]bool, len(all))
	for i := range all {
		own[string(all[i].ID)] = true
	}

	entries, err := os.ReadDir(r.Dir)
	if err != nil {
		return err
	}

	var files []fs.FileInfo
	var size int64
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && own[truncate(entry.Name(), len(job.ID))] {
			size += info.Size()
			if !strings.Contains(info.Name(), draftMark) {
				files = append(files, info)
			}
		}
	}

	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, file := range files {
		if size < limits.Storage {
			break
		}
		if err := os.Remove(filepath.Join(r.Dir, file.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}

		size -= file.Size()
	}

	return nil
}

// draftMark is in the name of a file that is being written.
const draftMark = ".draft-"

const notWritten = "the result was not written"

func truncate(name string, length int) string { return name[:min(len(name), length)] }

// write writes a file. The file gets its final name only once it is complete. It is deleted with the other files of the
// job, even if the process is killed before.
func (r *Results) write(ctx context.Context, job *Job, name string, order job.ResultOrder,
	limits Limits) (resultFile, error) {
	draft, err := os.CreateTemp(r.Dir, name+draftMark+"*") // mode 0600
	if err != nil {
		return resultFile{}, err
	}
	defer os.Remove(draft.Name())
	defer draft.Close()

	sum := sha256.New()
	limited := &limitedWriter{Writer: io.MultiWriter(draft, sum), left: limits.Result, format: order.Format,
		checkDisk: func() error { return r.checkDisk(limits.Free, notWritten) }}
	out := bufio.NewWriterSize(limited, 256<<10)
	if err := r.Render(ctx, job, order, out); err != nil {
		return resultFile{}, err
	}
	if err := errors.Join(out.Flush(), draft.Close()); err != nil {
		return resultFile{}, err
	}

	tag := base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12])
	path := filepath.Join(r.Dir, fmt.Sprintf("%s_%s.%s", name, tag, order.Format))
	return resultFile{path, tag}, os.Rename(draft.Name(), path)
}

// limitedWriter writes at most a number of bytes, as long as the disk has room.
type limitedWriter struct {
	io.Writer
	left      int64
	format    job.Format
	checkDisk func() error
}

func (b *limitedWriter) Write(p []byte) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, problem.Invalid(&problem.InputError{Parameter: "format", Code: problem.TooLong,
			Accepted: "a format in which the result is small enough",
			Reason: fmt.Sprintf("the result is too large as %s; choose another format, such as parquet, or upload "+
				"the file in parts", b.format)})
	}
	if err := b.checkDisk(); err != nil {
		return 0, err
	}
	return b.Writer.Write(p)
}

// Delete deletes the files of jobs.
func (r *Results) Delete(ids []job.ID) error {
	var errs []error
	for _, id := range ids {
		found, err := filepath.Glob(filepath.Join(r.Dir, string(id)+"*"))
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
