package account

import (
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// Inquiry is a message to the operators.
type Inquiry struct {
	// ID identifies it in the log and in the store.
	ID string
	// Name and Email are as the sender entered them, unverified.
	Name, Email string
	// Text is the message.
	Text string
	// Address is the address of the client. The number of inquiries from an address is limited.
	Address netip.Addr
	// ReceivedAt is the time of receipt, to the millisecond.
	ReceivedAt time.Time
}

// ErrNoInquiry: there is no inquiry with that id.
var ErrNoInquiry = errors.New("there is no such inquiry")

// TooManyInquiries is the error of an inquiry beyond the hourly limit.
type TooManyInquiries struct {
	// RetryAfter is the time until an inquiry is accepted again.
	RetryAfter time.Duration
	// FromAll reports that the total limit, of all senders together, was reached.
	FromAll bool
}

func (e *TooManyInquiries) Error() string {
	return fmt.Sprintf("too many inquiries: the next one is accepted in %s", e.RetryAfter)
}
