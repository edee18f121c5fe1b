package op

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op/problem"
)

// Uploads receives large bodies of requests in files, and bounds how many there are at a time.
type Uploads struct {
	dir    string
	slots  Slots
	guests Slots // of callers without an account, so that they take none of the others
}

const (
	// allUploads and ownUploads bound the uploads that are received and read at a time: of all accounts, and of one. An
	// account's first upload may exceed allUploads, so that it need not wait for uploads of other accounts, up to
	// firstUploads in all.
	allUploads   = 8
	ownUploads   = 2
	firstUploads = 32
	// guestUploads bounds the uploads of callers without an account; each address may send one at a time.
	guestUploads = 4
	// uploadWait is how long an upload waits for its turn. It counts against the time that the web server allows for
	// the body.
	uploadWait = 5 * time.Second
	// uploadRetry is the time after which a refused upload may be sent again.
	uploadRetry = 10 * time.Second
)

// OpenUploads empties a folder, or creates it, to receive uploads in it. A process that was killed may have left files.
func OpenUploads(dir string) (*Uploads, error) {
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		return nil, fmt.Errorf("preparing the folder of uploads: %w", err)
	}
	return &Uploads{dir: dir}, nil
}

// receive waits for a turn to read the body of a call, and reads it. The upload must be closed.
func (u *Uploads) receive(ctx context.Context, id metering.BucketID, read func(io.Writer) error) (*Spool, error) {
	waiting, cancel := context.WithTimeout(ctx, uploadWait)
	defer cancel()
	slots := &u.slots
	if id.Account == "" {
		slots = &u.guests
		if !slots.Await(waiting, id, guestUploads, 1) {
			return nil, cmp.Or(ctx.Err(), error(problem.Unavailable.New("too many files of callers without an account "+
				"are being received; nothing was read. Send the file again after the time in Retry-After, or use a "+
				"key").After(uploadRetry)))
		}
	} else if !slots.Enter(id, firstUploads, 1) && !slots.Await(waiting, id, allUploads, ownUploads) {
		return nil, u.refusal(ctx, id)
	}

	received := &Spool{leave: func() { slots.Leave(id) }}
	var err error
	if received.file, err = os.CreateTemp(u.dir, "*"); err == nil { // mode 0600
		// Where the system permits it, the open file has no name, so that it ends with the process.
		_ = os.Remove(received.file.Name())
		err = read(received)
	}
	if err != nil {
		received.Close()
		return nil, err
	}

	return received, nil
}

// refusal is the problem of an upload whose turn did not come.
func (u *Uploads) refusal(ctx context.Context, id metering.BucketID) error {
	if err := ctx.Err(); err != nil {
		return err
	}

	own, most := u.slots.Count(id), allUploads
	if own == 0 {
		most = firstUploads
	}

	p := problem.Unavailable.New("%d files are being received, which is the maximum; nothing was read or "+
		"charged. Send the file again after the time in Retry-After", most)
	if own >= ownUploads {
		p = problem.RateLimited.New("%d files of this account are being received, which is its maximum; "+
			"nothing was read or charged. Send one after the other, or this one again after the time in Retry-After",
			ownUploads)
	}

	return p.After(uploadRetry)
}

// Spool is a received body, with its turn.
type Spool struct {
	file  *os.File
	size  int64
	leave func()
}

// Write implements io.Writer. Errors are problems.
func (u *Spool) Write(p []byte) (int, error) {
	n, err := u.file.Write(p)
	if u.size += int64(n); err != nil {
		err = errors.Join(StoreDown("the file cannot be stored right now; send it again shortly"), err)
	}
	return n, err
}

// content returns the body, which is readable until Close.
func (u *Spool) content() *io.SectionReader { return io.NewSectionReader(u.file, 0, u.size) }

// Close deletes the file and ends the turn. It may be called more than once, and for a nil upload.
func (u *Spool) Close() {
	if u == nil || u.leave == nil {
		return
	}

	if u.file != nil {
		_ = u.file.Close()
		_ = os.Remove(u.file.Name()) // it has gone already, unless the system keeps the names of open files
	}

	u.leave()
	u.leave = nil
}
