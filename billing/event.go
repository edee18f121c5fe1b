package billing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"

	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/billing/store"
)

// tolerance is the validity period of an event's signature.
const tolerance = 5 * time.Minute

// maxSignature is the maximum length of the header Stripe-Signature, in bytes.
const maxSignature = 4096

// eventTime bounds the handling of an event. Stripe waits about 20 seconds for the response.
const eventTime = 18 * time.Second

// subject is the object of an event, with the members that we read.
type subject struct {
	ID       string `json:"id"`
	Customer ref    `json:"customer"`
	Invoice  ref    `json:"invoice"`
	Intent   ref    `json:"payment_intent"`
}

// ref is the ID of another object, which may be expanded to the whole object.
type ref string

// UnmarshalJSON reads an ID, an object with one, or null.
func (r *ref) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		var object struct{ ID string }
		err := json.Unmarshal(data, &object)
		*r = ref(object.ID)
		return err
	}

	return json.Unmarshal(data, (*string)(r))
}

// Expect checks from the header Stripe-Signature alone whether an event may come from Stripe, so that bodies of other
// requests need not be read. It returns customer.ErrNoBilling, or wraps customer.ErrBadSignature if the signature is
// missing or the timestamp is outside the tolerance.
func (b *Billing) Expect(signature string) error {
	if b.o.Stripe == nil || b.o.WebhookSecret == "" {
		return customer.ErrNoBilling
	}
	if len(signature) > maxSignature {
		return fmt.Errorf("%w: it is longer than %d bytes", customer.ErrBadSignature, maxSignature)
	}

	var at time.Time
	var signed bool
	for pair := range strings.SplitSeq(signature, ",") {
		switch name, value, _ := strings.Cut(pair, "="); name {
		case "t":
			seconds, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return fmt.Errorf("%w: its timestamp is not a number of seconds", customer.ErrBadSignature)
			}

			at = time.Unix(seconds, 0)
		case "v1":
			signed = true
		}
	}

	if age := time.Since(at); !signed || age > tolerance || age < -tolerance {
		return fmt.Errorf("%w: it is not from the last %s", customer.ErrBadSignature, tolerance)
	}

	return nil
}

// Receive handles an event of Stripe, given its raw body and the header Stripe-Signature. If it succeeds, the effect is
// durable, and occurs only once even if Stripe delivers the event again. It returns customer.ErrNoBilling,
// customer.ErrBadSignature, a *customer.PaymentsDown if Stripe does not respond, or an error that wraps
// account.ErrStoreDown. After the last two, Stripe retries the event.
func (b *Billing) Receive(ctx context.Context, payload []byte, signature string) error {
	if err := b.Expect(signature); err != nil {
		return err
	}

	event, err := webhook.ConstructEventWithOptions(payload, signature, b.o.WebhookSecret,
		webhook.ConstructEventOptions{
			Tolerance: tolerance, IgnoreAPIVersionMismatch: true, // the members we read exist in all API versions
		})
	if err != nil {
		return fmt.Errorf("%w: %w", customer.ErrBadSignature, err)
	}

	var about subject
	if event.Data == nil || json.Unmarshal(event.Data.Raw, &about) != nil {
		return fmt.Errorf("%w: the event %s has no object", customer.ErrBadSignature, event.ID)
	}

	ctx, cancel := context.WithTimeout(ctx, eventTime)
	defer cancel()
	if seen, err := b.o.Store.SeenEvent(ctx, event.ID); err != nil || seen {
		return down(err)
	}

	return b.act(ctx, event, about)
}

// act carries out the effect of an event. Other event types are ignored.
func (b *Billing) act(ctx context.Context, event stripe.Event, about subject) error {
	switch event.Type {
	case "checkout.session.completed", "invoice.payment_failed",
		"customer.subscription.created", "customer.subscription.updated", "customer.subscription.deleted",
		"customer.subscription.paused", "customer.subscription.resumed":
		return b.sync(ctx, event.ID, string(about.Customer))
	case "invoice.paid":
		return b.notePayment(ctx, event.ID, about.Customer, about.ID)
	case "credit_note.created", "credit_note.voided":
		return b.notePayment(ctx, event.ID, about.Customer, string(about.Invoice))
	case "charge.refunded", "refund.failed":
		id, customer, err := b.o.Stripe.invoiceOf(ctx, string(about.Intent))
		if err != nil || id == "" {
			return err
		}
		return b.notePayment(ctx, event.ID, ref(customer), id)
	}

	return nil
}

func (b *Billing) notePayment(ctx context.Context, event string, buyer ref, id string) error {
	c, err := b.o.Store.CustomerByID(ctx, string(buyer))
	if errors.Is(err, customer.ErrNoCustomer) {
		return nil // for another product sold through the same Stripe account
	}
	if err == nil {
		err = b.o.Store.NotePayment(ctx, event, store.Payment{ID: id, Account: c.Account}, b.o.Now())
	}
	if err != nil {
		return down(err)
	}

	b.wake(store.Payments)
	return nil
}
