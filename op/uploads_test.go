package op

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/testkit"
)

// sender sends uploads that end when their body is released.
type sender struct {
	*Uploads
	id metering.BucketID
}

// begin begins an upload. Its end returns the upload or its error.
func (s sender) begin(ctx context.Context, body chan struct{}) (end func() (*Spool, error)) {
	var u *Spool
	var err error
	var receiving sync.WaitGroup
	receiving.Go(func() {
		u, err = s.receive(ctx, s.id, func(to io.Writer) error {
			<-body
			_, err := io.WriteString(to, "cui\n9900000010\n")
			return err
		})
	})
	synctest.Wait()
	return func() (*Spool, error) { receiving.Wait(); return u, err }
}

// refused verifies that an upload is refused once it has waited for its turn.
func refused(t *testing.T, name string, end func() (*Spool, error), status int, says string) {
	t.Helper()
	start := time.Now()
	_, err := end()
	p, ok := errors.AsType[*problem.Problem](err)
	if !ok || p.Status() != status || p.RetrySeconds() == 0 || !strings.Contains(p.Detail, says) {
		t.Errorf("%s: %v", name, err)
	}
	if waited := time.Since(start); waited != uploadWait {
		t.Errorf("%s: refused after %v", name, waited)
	}
}

// An account may have two uploads at a time. The first upload of an account is always admitted; of the second uploads,
// eight are admitted at a time. The others wait up to five seconds for their turn.
func TestUploadsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		uploads, err := OpenUploads(filepath.Join(t.TempDir(), "uploads"))
		testkit.NoError(t, err)

		body := make(chan struct{})
		first := sender{uploads, metering.BucketID{Account: "first"}}
		var ends []func() (*Spool, error)
		for range ownUploads {
			ends = append(ends, first.begin(t.Context(), body))
		}

		refused(t, "the third of an account", first.begin(t.Context(), body), http.StatusTooManyRequests, "2 files")
		for _, account := range []string{"second", "third", "fourth"} {
			other := sender{uploads, metering.BucketID{Account: account}}
			for range ownUploads {
				ends = append(ends, other.begin(t.Context(), body))
			}
		}

		fifth := sender{uploads, metering.BucketID{Account: "fifth"}}
		ends = append(ends, fifth.begin(t.Context(), body)) // the first one of an account does not wait
		refused(t, "the tenth of all", fifth.begin(t.Context(), body), http.StatusServiceUnavailable, "8 files")

		gone, leave := context.WithCancel(t.Context())
		end := fifth.begin(gone, body)
		leave()
		if _, err := end(); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller that left: %v", err)
		}

		waiting := fifth.begin(t.Context(), body)
		close(body)
		for _, end := range ends {
			u, err := end()
			testkit.NoError(t, err)
			if text, err := io.ReadAll(u.content()); err != nil || string(text) != "cui\n9900000010\n" {
				t.Errorf("got %q %v", text, err)
			}

			u.Close()
			u.Close() // changes nothing
		}

		u, err := waiting()
		if err != nil {
			t.Fatalf("the one whose turn came: %v", err)
		}

		u.Close()
		if uploads.slots.Open() != 0 {
			t.Errorf("%d turns are left", uploads.slots.Open())
		}
	})
}

// First uploads of accounts are not admitted without a limit.
func TestFirstUploadsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		uploads := testkit.Must(OpenUploads(filepath.Join(t.TempDir(), "uploads")))
		body := make(chan struct{})
		var ends []func() (*Spool, error)
		for i := range firstUploads {
			ends = append(ends, sender{uploads, metering.BucketID{Account: strconv.Itoa(i)}}.begin(t.Context(), body))
		}
		if open := uploads.slots.Open(); open != firstUploads {
			t.Errorf("%d are admitted", open)
		}

		next := sender{uploads, metering.BucketID{Account: "next"}}
		refused(t, "one more", next.begin(t.Context(), body), http.StatusServiceUnavailable, "32 files")
		close(body)
		for _, end := range ends {
			u, err := end()
			testkit.NoError(t, err)
			u.Close()
		}
	})
}

// Callers without an account have turns of their own, one for each address, and take none from accounts.
func TestUploadsOfGuests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		uploads := testkit.Must(OpenUploads(filepath.Join(t.TempDir(), "uploads")))
		body := make(chan struct{})
		var ends []func() (*Spool, error)
		guest := func(i int) sender {
			return sender{uploads, metering.AddressBucket(netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}))}
		}
		ends = append(ends, guest(0).begin(t.Context(), body))
		refused(t, "the second of an address", guest(0).begin(t.Context(), body), http.StatusServiceUnavailable, "key")
		for i := 1; i < guestUploads; i++ {
			ends = append(ends, guest(i).begin(t.Context(), body))
		}

		refused(t, "one more", guest(guestUploads).begin(t.Context(), body), http.StatusServiceUnavailable, "key")
		owner := sender{uploads, metering.BucketID{Account: "acc"}}
		for range ownUploads {
			ends = append(ends, owner.begin(t.Context(), body))
		}

		close(body)
		for _, end := range ends {
			u, err := end()
			testkit.NoError(t, err)
			u.Close()
		}
		if open := uploads.guests.Open() + uploads.slots.Open(); open != 0 {
			t.Errorf("%d turns are left", open)
		}
	})
}

// The folder of uploads is empty after each, even if it failed, and after a start: a process may have been killed.
func TestUploadsAreRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "uploads")
	left := func(when string) {
		t.Helper()
		if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
			t.Errorf("%s: %v %v", when, files, err)
		}
	}
	testkit.NoError(t, os.MkdirAll(dir, 0o700))
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "123"), []byte("cui"), 0o600))

	uploads, err := OpenUploads(dir)
	testkit.NoError(t, err)

	left("at the start")
	broken := errors.New("the connection ended")
	if _, err := uploads.receive(t.Context(), metering.BucketID{}, func(to io.Writer) error {
		_, err := io.WriteString(to, "cui")
		return errors.Join(err, broken)
	}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}

	left("after a broken upload")
	u, err := uploads.receive(t.Context(), metering.BucketID{}, func(io.Writer) error { return nil })
	testkit.NoError(t, err)

	u.Close()
	left("after an upload")
	_, err = u.Write([]byte("x"))
	if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Status() != http.StatusServiceUnavailable {
		t.Errorf("a file that cannot be written: %v", err)
	}
}
