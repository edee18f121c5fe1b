package api

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/account"
)

type sendContactInput struct {
	Name    ContactName    `arg:"name" required:"true" doc:"Your name, 2 to 120 characters." example:"Ana Exemplu"`
	Email   Email          `arg:"email" required:"true" doc:"Where to answer, at most 200 characters." example:"ana@example.ro"`
	Message ContactMessage `arg:"message" required:"true" max:"20000" lines:"true" doc:"What you want to say, 10 to 5000 characters." example:"Bună ziua, am o întrebare."`
	Website Honeypot       `arg:"website" empty:"true" doc:"Leave empty: people do not see this field."`
}

// Sent says that a message was taken.
type Sent struct {
	OK bool `json:"ok" doc:"Always true."`
}

func sendContact() *Operation {
	return Define(Spec{
		Name: "send_contact", Method: "POST", Path: "/v1/contact", Tag: "System",
		Title:       "Send a message to the operators",
		Description: "Stores a message for the people who run this installation.",
		Errors:      []*ProblemKind{Forbidden, Unavailable},
	}, func(context.Context, account.Caller, sendContactInput) (Answer[Sent], error) {
		p := Unavailable.New("messages cannot be taken: this release of the service has nowhere to keep them; write to the operators by other means")
		p.RetryAfter = 24 * time.Hour
		return Answer[Sent]{}, p
	})
}

// ContactName is a person's name.
type ContactName string

// UnmarshalText reads 2 to 120 characters.
func (n *ContactName) UnmarshalText(text []byte) error {
	s, err := boundedText(text, 2, 120)
	*n = ContactName(s)
	return err
}

// Schema describes the form of a name.
func (ContactName) Schema() Schema { return Schema{Type: "string", MinLength: 2, MaxLength: 120} }

// Email is one e-mail address.
type Email string

// UnmarshalText reads an address of at most 200 characters.
func (e *Email) UnmarshalText(text []byte) error {
	if _, err := boundedText(text, 3, 200); err != nil {
		return err
	}
	s, err := emailAddress(text)
	*e = Email(s)
	return err
}

// Schema describes the form of an address.
func (Email) Schema() Schema { return Schema{Type: "string", Format: "email", MaxLength: 200} }

// ContactMessage is the text of a message.
type ContactMessage string

// UnmarshalText reads 10 to 5000 characters.
func (m *ContactMessage) UnmarshalText(text []byte) error {
	s, err := boundedText(text, 10, 5000)
	*m = ContactMessage(s)
	return err
}

// Schema describes the form of a message.
func (ContactMessage) Schema() Schema { return Schema{Type: "string", MinLength: 10, MaxLength: 5000} }

// Honeypot is a field that only a program would fill in.
type Honeypot string

// UnmarshalText refuses every text that is not empty.
func (*Honeypot) UnmarshalText(text []byte) error {
	if len(text) > 0 {
		return errors.New("this field must be empty")
	}
	return nil
}

// Schema describes the empty text.
func (Honeypot) Schema() Schema { return Schema{Type: "string", Pattern: "^$"} }
