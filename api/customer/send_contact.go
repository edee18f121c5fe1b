package customer

import (
	"context"
	"errors"
	"fmt"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

type sendContactInput struct {
	Name    ContactName    `arg:"name" required:"true" doc:"Your name, 2 to 120 characters." example:"Ana Exemplu"`
	Email   Email          `arg:"email" required:"true" doc:"The reply address, at most 200 characters." example:"ana@example.ro"`
	Message ContactMessage `arg:"message" required:"true" max:"20000" lines:"true" doc:"The message, 10 to 5000 characters." example:"Bună ziua, am o întrebare."`
	Website Honeypot       `arg:"website" empty:"true" doc:"Leave empty: it is hidden from people."`
}

// Sent confirms that a message was received.
type Sent struct {
	OK bool `json:"ok" doc:"Always true."`
}

// Inbox receives messages to the operators.
type Inbox interface {
	// Take stores a message and assigns its ID and time. The error is *account.TooManyInquiries if the hourly limit is
	// reached, and wraps account.ErrStoreDown if the message could not be stored.
	Take(ctx context.Context, q account.Inquiry) error
}

// SendContact returns the operation send_contact.
func SendContact(inbox Inbox) *op.Operation {
	return op.Define(op.Spec{
		Name: "send_contact", Method: "POST", Path: "/v1/contact", Tag: tag.System,
		Title: "Send a message to the operators",
		Description: "Stores a message for the operators of this installation and mails it to them; they reply to " +
			"the address in email. Limits: 5 messages an hour from one IP address (IPv6: one /64), and 100 in all. " +
			"Browsers may send it from pages of the service's own origin and of origins it trusts. Messages are " +
			"deleted after 13 months.",
		OwnPages: true,
		Errors:   []*problem.Kind{problem.Forbidden, problem.Unavailable},
	}, func(ctx context.Context, caller account.Caller, in sendContactInput) (op.Answer[Sent], error) {
		err := inbox.Take(ctx, account.Inquiry{
			Name: string(in.Name), Email: string(in.Email), Text: string(in.Message), Address: caller.Address,
		})
		if err != nil {
			return op.Answer[Sent]{}, inboxProblem(err)
		}
		return op.Answer[Sent]{Value: Sent{OK: true}}, nil
	})
}

// inboxProblem turns an error of the inbox into a problem; its cause is kept for the log.
func inboxProblem(err error) error {
	refused := (*account.TooManyInquiries)(nil)
	switch {
	case errors.Is(err, account.ErrStoreDown):
		return fmt.Errorf("%w: %w", op.StoreDown("the message cannot be stored right now; try again shortly"), err)
	case !errors.As(err, &refused):
		return err
	}

	p := problem.RateLimited.New("this address has sent the maximum number of messages within an hour; wait for the " +
		"time in Retry-After")
	if refused.FromAll {
		p.Detail = "the maximum number of messages within an hour has been received; wait for the time in Retry-After"
	}

	return p.After(refused.RetryAfter)
}

// ContactName is a person's name.
type ContactName string

// UnmarshalText accepts 2 to 120 characters.
func (n *ContactName) UnmarshalText(text []byte) (err error) {
	*n, err = op.ShownText[ContactName](text, 2, 120)
	return err
}

// Schema describes the format of a name.
func (ContactName) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", MinLength: 2, MaxLength: 120}
}

// Email is an e-mail address.
type Email string

// UnmarshalText accepts an address of at most 200 characters.
func (e *Email) UnmarshalText(text []byte) error {
	if _, err := op.BoundedText[Email](text, 3, 200); err != nil {
		return err
	}

	s, err := op.EmailAddress(text)
	*e = Email(s)
	return err
}

// Schema describes the format of an address.
func (Email) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Format: "email", MaxLength: 200}
}

// ContactMessage is the text of a message.
type ContactMessage string

// UnmarshalText accepts 10 to 5000 characters.
func (m *ContactMessage) UnmarshalText(text []byte) (err error) {
	*m, err = op.BoundedText[ContactMessage](text, 10, 5000)
	return err
}

// Schema describes the format of a message.
func (ContactMessage) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", MinLength: 10, MaxLength: 5000}
}

// Honeypot is a field that only bots fill in.
type Honeypot string

// UnmarshalText accepts only the empty text.
func (*Honeypot) UnmarshalText(text []byte) error {
	if len(text) > 0 {
		return &problem.InputError{Code: problem.OutOfRange, Accepted: "empty or absent"}
	}
	return nil
}

// Schema describes the empty text.
func (Honeypot) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "string", Pattern: "^$"} }
