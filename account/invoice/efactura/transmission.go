package efactura

import "time"

// State is what has become of an invoice that RO e-Factura may want.
type State string

// The states.
const (
	NotRequired State = "not_required" // it is not sent
	Pending     State = "pending"      // it is to be uploaded
	Processing  State = "processing"   // it was uploaded, and is looked at
	Accepted    State = "accepted"
	Rejected    State = "rejected" // it is not acceptable; Message says why
	Failed      State = "failed"   // it could not be found out; a person must look
)

// Transmission is how far the sending of one invoice has come. All of it is to be
// stored; the worker that drives it needs nothing else.
type Transmission struct {
	Document Document
	State    State
	// UploadBegun is when an upload began. While the state is Pending, it was
	// interrupted or its answer lost, and the invoice may have arrived.
	UploadBegun time.Time
	UploadID    string
	DownloadID  string
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

// Reopen lets a transmission that was given up go on from where it was.
func (t Transmission) Reopen() Transmission {
	if !t.GivenUp {
		return t
	}
	t.GivenUp, t.Since, t.Attempts = false, time.Now(), 0
	switch {
	case t.State == Failed && t.UploadID == "":
		t.State = Pending
	case t.State == Failed:
		t.State = Processing
	}
	return t
}

// enter moves to a state, or on within it.
func (t *Transmission) enter(s State) {
	t.State, t.Since, t.Attempts, t.Message = s, time.Now(), 0, ""
}
