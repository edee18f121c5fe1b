package efactura

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Kind is what a failed call means for what it asked.
type Kind int

// The kinds of failures.
const (
	// Unanswered: no answer came, or none that can be read. What was asked may
	// have been done.
	Unanswered Kind = iota
	// Unsent: nothing reached the service.
	Unsent
	// Declined: the service answered that it cannot do it now.
	Declined
	// Exhausted: too much was asked today.
	Exhausted
	// Unauthorized: the token is not accepted, or gives no right to this company.
	Unauthorized
	// Refused: the document is not acceptable, and will not become so.
	Refused
)

// Failure is a call that did not do what it was for.
type Failure struct {
	Kind Kind
	// Message is what the service or the network said.
	Message string
	// RetryAfter is how long the service asked to be left alone; 0 when it did not.
	RetryAfter time.Duration
	// Err is the cause, if it was not the service.
	Err error

	asked string
	stale bool // another token may be accepted
}

// Error says what was asked and what came of it.
func (f *Failure) Error() string {
	if f.Err != nil {
		return fmt.Sprintf("%s: %s: %v", f.asked, f.Message, f.Err)
	}
	return fmt.Sprintf("%s: %s", f.asked, f.Message)
}

// Unwrap is the cause.
func (f *Failure) Unwrap() error { return f.Err }

// quota is how the service says that a day's calls are used up: "S-au facut deja
// 100 descarcari de mesaj in cursul zilei".
var quota = regexp.MustCompile(`(?i)s-au facut deja \d+ .*in cursul zilei`)

// judge is the failure that a message in a well-formed answer amounts to: such
// messages come with status 200. What it does not recognise is otherwise.
func judge(message string, otherwise Kind) *Failure {
	message = cmp.Or(strings.Join(strings.Fields(message), " "), "no reason is given")
	lower := strings.ToLower(message)
	kind := otherwise
	switch {
	case quota.MatchString(message):
		kind = Exhausted
	case strings.HasPrefix(lower, "nu aveti drept"), strings.HasPrefix(lower, "nu exista niciun cif"):
		kind = Unauthorized
	case strings.Contains(lower, "eroare tehnica"):
		kind = Declined
	}
	return &Failure{Kind: kind, Message: message}
}
