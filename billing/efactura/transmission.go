package efactura

import (
	"errors"
	"fmt"
	"time"
)

// State is the state of an invoice at RO e-Factura.
type State string

// The states.
const (
	NotRequired State = "not_required" // not sent
	Pending     State = "pending"      // to be uploaded
	Processing  State = "processing"   // uploaded, and being processed
	Accepted    State = "accepted"
	Rejected    State = "rejected" // not acceptable; Message has the reason
	Failed      State = "failed"   // not uploaded, or its result is not available; needs manual review
	Held        State = "held"     // unknown whether it arrived; needs manual review before another upload
)

// States lists all states.
var States = []State{NotRequired, Pending, Processing, Accepted, Rejected, Failed, Held}

// ForCustomer returns the state that customers see. Held concerns only the operator, so customers see Failed instead.
func (s State) ForCustomer() State {
	if s == Held {
		return Failed
	}
	return s
}

// Transmission is the progress of sending one invoice. All fields must be stored; sending needs no other state.
type Transmission struct {
	Document Document
	State    State
	// UploadBegun is the start of the last upload. While the state is Pending or Held, the upload was interrupted or
	// its response lost, and the invoice may have arrived.
	UploadBegun time.Time
	// Cleared means that a person has determined that the lost upload did not arrive. The invoice is uploaded again
	// unless a last search finds the upload.
	Cleared    bool
	UploadID   string
	DownloadID string
	// Adopted means that a person has supplied UploadID. The archive shows whether it is the right one.
	Adopted bool
	// Archive is the service's signed response. It is nil until it is downloaded.
	Archive []byte
	// Message explains the state: what the service last reported about the invoice, or why the invoice cannot be sent.
	Message string
	// Since is the time at which the transmission entered its state. Attempts is the number of steps since then.
	Since    time.Time
	Attempts int
	// GivenUp means that work has stopped until Reopen.
	GivenUp bool
}

// Begin returns the initial transmission of a document from Describe.
func Begin(d Document, required bool) Transmission {
	t := Transmission{Document: d, State: NotRequired, Since: time.Now()}
	if required {
		t.State = Pending
	}
	return t
}

// IsDone reports whether no work is left.
func (t Transmission) IsDone() bool {
	switch t.State {
	case Pending, Processing:
		return t.GivenUp
	case Accepted, Rejected:
		return t.GivenUp || t.Archive != nil || t.DownloadID == ""
	}

	return true
}

// ErrNotReopened: the transmission cannot be reopened.
var ErrNotReopened = errors.New("there is nothing to try again")

// Reopen continues a transmission that is Done without success, after manual review. For a Held one, a last search is
// made, and the invoice is uploaded again unless it is found. A Rejected one is uploaded again. Others continue from
// their state. If the person has found the upload at the service and supplies its ID, the transmission takes that
// upload's state, and nothing is uploaded. The error wraps ErrNotReopened.
func (t Transmission) Reopen(uploadID string) (Transmission, error) {
	switch {
	case !t.IsDone():
		return t, fmt.Errorf("%w: it is %s, and under way", ErrNotReopened, t.State)
	case t.State == NotRequired || t.State == Accepted && !t.GivenUp:
		return t, fmt.Errorf("%w: it is %s", ErrNotReopened, t.State)
	case uploadID != "" && t.State == Accepted:
		return t, fmt.Errorf("%w: it was accepted as upload %s", ErrNotReopened, t.UploadID)
	case uploadID != "" && !digits.MatchString(uploadID):
		return t, fmt.Errorf("%w: %q is not the ID of an upload, which is a number", ErrNotReopened, uploadID)
	}

	next := t
	next.GivenUp, next.Since, next.Attempts = false, time.Now(), 0
	switch {
	case uploadID != "":
		next.enter(Processing)
		next.UploadID, next.DownloadID, next.Archive, next.Cleared, next.Adopted = uploadID, "", nil, false, true
	case t.State == Rejected:
		next = Begin(t.Document, true)
	case t.State == Held:
		next.State, next.Cleared = Pending, true
	case t.State == Failed && t.UploadID == "":
		next.State = Pending
	case t.State == Failed:
		next.State = Processing
	}

	return next, nil
}

func (t *Transmission) enter(s State) {
	t.State, t.Since, t.Attempts, t.Message = s, time.Now(), 0, ""
}
