package account

import (
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// Inquiry is a message that somebody left for the people who run the service.
type Inquiry struct {
	// ID names it in the log and in the store.
	ID string
	// Name and Email say who asks, as they say it; nothing of it is verified.
	Name, Email string
	// Text is the message.
	Text string
	// Address is where it was sent from, by which inquiries are limited.
	Address netip.Addr
	// ReceivedAt is when it came, to the millisecond.
	ReceivedAt time.Time
}

// ErrNoInquiry: there is no inquiry of that id.
var ErrNoInquiry = errors.New("there is no such inquiry")

// TooManyInquiries is the error for an inquiry that was not taken, since there
// were enough within the hour.
type TooManyInquiries struct {
	// RetryAfter is how long until the next one is taken.
	RetryAfter time.Duration
	// FromAll says that all senders together were too many, not this one.
	FromAll bool
}

func (e *TooManyInquiries) Error() string {
	return fmt.Sprintf("too many inquiries: the next one is taken in %s", e.RetryAfter)
}
