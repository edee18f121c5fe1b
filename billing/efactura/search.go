package efactura

import (
	"context"
	"fmt"
	"time"
)

const (
	// grace is the time for which a lost upload is searched for before the invoice is Held.
	grace = 24 * time.Hour
	// skew is the tolerated clock skew between the service and us.
	skew = 5 * time.Minute
	// listed is the time for which the service lists its messages.
	listed = 60 * 24 * time.Hour
	// maxDownloads bounds the invoices that one step downloads, and maxNumbers the numbers remembered.
	maxDownloads, maxNumbers = 100, 10000
)

func (s *Sender) find(ctx context.Context, t *Transmission) (moved bool, err error) {
	now := time.Now()
	from := t.UploadBegun.Add(-skew)
	if oldest := now.Add(skew - listed); from.Before(oldest) {
		from = oldest
	}

	messages, err := s.Client.ListSent(ctx, from, now.Add(-skew))
	if err != nil {
		return false, err
	}

	downloads := 0
	for _, m := range messages {
		number, known := s.number(m.UploadID)
		if !known {
			if downloads++; downloads > maxDownloads {
				return false, nil // the next step continues from here
			}

			a, err := s.Client.Download(ctx, m.DownloadID)
			if err != nil {
				return false, err
			}

			number = a.Number
			s.remember(m.UploadID, number)
		}

		if number == t.Document.Number {
			t.UploadID, t.DownloadID = m.UploadID, m.DownloadID
			t.enter(Accepted)
			return true, nil
		}
	}

	switch {
	case t.Cleared:
		t.UploadBegun = time.Time{}
		t.enter(Pending)
		return true, nil
	case now.Sub(t.UploadBegun) < grace:
		return false, nil
	default:
		t.hold(fmt.Sprintf("it is not among the invoices accepted in %s", grace))
		return true, nil
	}
}

// isLost reports whether an upload may or may not have arrived.
func (t *Transmission) isLost() bool { return t.State == Pending && !t.UploadBegun.IsZero() }

// hold marks a lost upload as Held, so that a person decides what to do.
func (t *Transmission) hold(reason string) {
	t.enter(Held)
	t.Message = fmt.Sprintf("the answer to the upload of %s was lost: %s", t.UploadBegun.UTC().Format(time.RFC3339),
		reason)
}

func (s *Sender) number(uploadID string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	number, ok := s.numbers[uploadID]
	return number, ok
}

// remember keeps the number of an archive's invoice, so that the archive is not downloaded again. The service allows
// ten downloads a day.
func (s *Sender) remember(uploadID, number string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.numbers == nil || len(s.numbers) >= maxNumbers {
		s.numbers = make(map[string]string)
	}

	s.numbers[uploadID] = number
}
