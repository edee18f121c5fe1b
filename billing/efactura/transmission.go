package efactura

import (
	"errors"
	"fmt"
	"time"
)

// State is what has become of an invoice that RO e-Factura may want.
type State string

// The states.
const (
	NotRequired State = "not_required" // it is not sent
	Pending     State = "pending"      // it is to be uploaded
	Processing  State = "processing"   // it was uploaded, and is looked at
	Accepted    State = "accepted"
	Rejected    State = "rejected" // it is not acceptable; Message says why
	Failed      State = "failed"   // it was not taken, or its verdict could not be had; a person must look
	Held        State = "held"     // nobody knows whether it was taken; a person must look before it is uploaded again
)

// States are all of them.
var States = []State{NotRequired, Pending, Processing, Accepted, Rejected, Failed, Held}

// Told is the state as customers are told it: that an invoice is Held is a matter
// for the operator, and to them it has Failed so far.
func (s State) Told() State {
	if s == Held {
		return Failed
	}
	return s
}

// Transmission is how far the sending of one invoice has come. All of it is to be
// stored; the worker that drives it needs nothing else.
type Transmission struct {
	Document Document
	State    State
	// UploadBegun is when an upload began. While the state is Pending or Held, it was
	// interrupted or its answer lost, and the invoice may have arrived.
	UploadBegun time.Time
	// Cleared says that a person has found that such an upload did not arrive: unless
	// a last look finds it after all, there is another.
	Cleared    bool
	UploadID   string
	DownloadID string
	// Adopted says that UploadID is what a person has found it as; whether it is that
	// one is seen from the archive.
	Adopted bool
	// Archive is the service's signed answer; nil until it was downloaded.
	Archive []byte
	// Message is what was said last: by the service of the invoice, or of what
	// keeps it from being sent.
	Message string
	// Since is when it entered its state, and Attempts how often it was moved
	// without leaving it.
	Since    time.Time
	Attempts int
	// GivenUp says that it is left alone until Reopen.
	GivenUp bool
}

// Begin is the transmission of a document, as Describe has it.
func Begin(d Document, required bool) Transmission {
	t := Transmission{Document: d, State: NotRequired, Since: time.Now()}
	if required {
		t.State = Pending
	}
	return t
}

// Done reports whether there is nothing more to do.
func (t Transmission) Done() bool {
	switch t.State {
	case Pending, Processing:
		return t.GivenUp
	case Accepted, Rejected:
		return t.GivenUp || t.Archive != nil || t.DownloadID == ""
	}
	return true
}

// ErrNotReopened is why a transmission is left as it is.
var ErrNotReopened = errors.New("there is nothing to try again")

// Reopen has a transmission go on that is Done and did not end well, since a person
// has looked at it. One that is Held is looked for once more and, unless it is found
// now, uploaded; one that was Rejected is uploaded again; others go on from where
// they were. With the id of an upload, which the person has found at the service, the
// invoice is that one, and is not uploaded. The error wraps ErrNotReopened.
func (t Transmission) Reopen(uploadID string) (Transmission, error) {
	switch {
	case !t.Done():
		return t, fmt.Errorf("%w: it is %s, and under way", ErrNotReopened, t.State)
	case t.State == NotRequired || t.State == Accepted && !t.GivenUp:
		return t, fmt.Errorf("%w: it is %s", ErrNotReopened, t.State)
	case uploadID != "" && t.State == Accepted:
		return t, fmt.Errorf("%w: it was accepted as upload %s", ErrNotReopened, t.UploadID)
	case uploadID != "" && !digits.MatchString(uploadID):
		return t, fmt.Errorf("%w: %q is no id of an upload, which is a number", ErrNotReopened, uploadID)
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

// enter moves to a state, or on within it.
func (t *Transmission) enter(s State) {
	t.State, t.Since, t.Attempts, t.Message = s, time.Now(), 0, ""
}
