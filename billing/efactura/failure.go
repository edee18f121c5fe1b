package efactura

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Kind is the consequence of a failure for the request.
type Kind int

// The kinds of failures.
const (
	// Unanswered: there was no readable response. The request may have taken effect.
	Unanswered Kind = iota
	// Unsent: nothing reached the service.
	Unsent
	// Declined: the service cannot do it at the moment.
	Declined
	// Exhausted: the daily quota is used up.
	Exhausted
	// Unauthorized: the token is not accepted, or has no right to this company.
	Unauthorized
	// Refused: the document is invalid and must not be sent again unchanged.
	Refused
)

// Failure is a failed call.
type Failure struct {
	Kind Kind
	// Message is what the service or the network reported.
	Message string
	// RetryAfter is the pause that the service requested. It is 0 if there is none.
	RetryAfter time.Duration
	// Err is the cause, if it was not the service.
	Err error

	request string
	stale   bool // another token may be accepted
}

// Error names the request and the failure.
func (f *Failure) Error() string {
	if f.Err != nil {
		return fmt.Sprintf("%s: %s: %v", f.request, f.Message, f.Err)
	}
	return fmt.Sprintf("%s: %s", f.request, f.Message)
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// quota matches the service's message for an exhausted daily quota: "S-au facut deja 100 descarcari de mesaj in cursul
// zilei".
var quota = regexp.MustCompile(`(?i)s-au facut deja \d+ .*in cursul zilei`)

// classify returns the failure for the message of a well-formed response, which has status 200. An unknown message has
// the kind otherwise.
func classify(message string, otherwise Kind) *Failure {
	message = cmp.Or(strings.Join(strings.Fields(message), " "), "no reason is given")
	lower := strings.ToLower(message)
	f := &Failure{Kind: otherwise, Message: message}
	switch {
	case quota.MatchString(message):
		f.Kind = Exhausted
	case strings.HasPrefix(lower, "nu aveti drept"), strings.HasPrefix(lower, "nu exista niciun cif"):
		f.Kind = Unauthorized
	case strings.Contains(lower, "eroare tehnica"):
		f.Kind = Declined
	}

	return f
}
