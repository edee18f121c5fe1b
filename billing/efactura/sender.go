package efactura

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Sender advances transmissions, and never uploads an invoice twice. Before an upload it records that the upload
// begins. If the response is lost, or the process dies, it searches the accepted invoices for a day. If it does not
// find the invoice by then, the invoice is Held: it may have been refused or lost, or may still be accepted later. A
// person then decides with Reopen whether to upload it again. Sender repeats an upload on its own only if the upload
// certainly did not arrive. A Sender may be used concurrently.
type Sender struct {
	Client *Client

	mu      sync.Mutex
	numbers map[string]string // of invoices, by upload ID
}

// giveUpAfter is the time without progress after which a transmission needs manual review: the law allows five working
// days (OUG 89/2025).
const giveUpAfter = 96 * time.Hour

// pauses are the waits after consecutive steps without progress; the last one repeats. They keep the number of steps a
// day below the service's quota.
var pauses = []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute,
	30 * time.Minute, time.Hour}

// Next takes one step: an upload, a search for a lost one, a status query, or a download. It returns the transmission
// to store, and the wait before the next step unless the transmission is Done. The error is the failure of this step,
// for the log. The transmission must be stored even then. Only one caller at a time may advance a transmission.
//
// Next calls save to store a transmission durably before its upload begins. If save fails, for instance because the
// lease was lost, there is no upload.
func (s *Sender) Next(ctx context.Context, t Transmission,
	save func(context.Context, Transmission) error) (Transmission, time.Duration, error) {
	if t.IsDone() {
		return t, 0, nil
	}

	step := func(ctx context.Context, t *Transmission) (bool, error) { return s.upload(ctx, t, save) }
	switch {
	case t.State == Accepted || t.State == Rejected:
		step = s.download
	case t.State == Processing:
		step = s.status
	case t.isLost():
		step = s.find
	}

	moved, err := step(ctx, &t)
	switch {
	case moved && t.State == Processing:
		return t, pauses[0], err // the service needs some time
	case moved:
		return t, 0, err
	}

	wait := pauses[min(t.Attempts, len(pauses)-1)]
	t.Attempts++
	if f, ok := errors.AsType[*Failure](err); ok {
		wait = max(wait, f.RetryAfter)
		if f.Kind == Exhausted {
			wait = max(wait, time.Hour)
		}
	}

	decided := t.State == Accepted || t.State == Rejected
	if err != nil && !decided {
		t.Message = err.Error()
	}

	if t.Attempts <= len(pauses) || time.Since(t.Since) < giveUpAfter {
		return t, wait, err
	}
	if t.isLost() {
		t.hold(t.Message)
		return t, 0, err
	}

	t.GivenUp = true
	if !decided {
		t.State = Failed
	}

	return t, 0, err
}

// upload uploads the document, after recording that the upload begins.
func (s *Sender) upload(ctx context.Context, t *Transmission,
	save func(context.Context, Transmission) error) (moved bool, err error) {
	begun := *t
	begun.UploadBegun, begun.Cleared = time.Now(), false
	if err := save(ctx, begun); err != nil {
		return false, fmt.Errorf("storing that the upload of invoice %s begins: %w", t.Document.Number, err)
	}

	t.Cleared = false
	id, err := s.Client.Upload(ctx, t.Document)
	f, failed := errors.AsType[*Failure](err)
	switch {
	case err == nil:
		t.UploadBegun, t.UploadID = begun.UploadBegun, id
		t.enter(Processing)
		s.remember(id, t.Document.Number)
		return true, nil
	case failed && f.Kind == Refused:
		t.enter(Rejected)
		t.Message = f.Message
		return true, nil
	case failed && f.Kind == Unanswered:
		t.UploadBegun = begun.UploadBegun
	}

	return false, err
}

func (s *Sender) status(ctx context.Context, t *Transmission) (moved bool, err error) {
	status, err := s.Client.Status(ctx, t.UploadID)
	if err != nil || status.State == Processing {
		return false, err
	}

	t.enter(status.State)
	t.DownloadID = status.DownloadID
	if t.State == Rejected {
		t.Message = status.Message
	}

	return true, nil
}

// maxMessage bounds the stored length of an error list, in characters.
const maxMessage = 2000

func (s *Sender) download(ctx context.Context, t *Transmission) (moved bool, err error) {
	a, err := s.Client.Download(ctx, t.DownloadID)
	if err != nil {
		return false, err
	}

	if t.Adopted && t.State == Accepted && a.Number != t.Document.Number {
		message := fmt.Sprintf("upload %s is invoice %s", t.UploadID, cmp.Or(a.Number, "of no number"))
		t.enter(Held)
		t.Message, t.UploadID, t.DownloadID, t.Adopted = message, "", "", false
		return true, nil
	}

	t.Archive, t.Attempts = a.ZIP, 0
	if t.State == Rejected && len(a.Errors) > 0 {
		text := []rune(strings.Join(a.Errors, "; "))
		t.Message = string(text[:min(len(text), maxMessage)])
	}

	return true, nil
}
