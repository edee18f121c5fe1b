package stripeserver

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85/webhook"
)

// Event is an event as sent.
type Event struct {
	ID, Signature string
	Payload       []byte
}

// Sign creates an event about an object, sent at a time.
func (s *Stripe) Sign(kind string, about any, at time.Time) Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.add("events", "evt", object{"type": kind, "api_version": "2024-01-01", "data": object{"object": about}})
	o["object"] = "event"
	payload, err := json.MarshalIndent(o, "", "  ") // like Stripe
	if err != nil {
		panic(err)
	}

	signed := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: payload, Secret: Secret,
		Timestamp: at})
	return Event{ID: o["id"].(string), Signature: signed.Header, Payload: payload}
}

// event signs an event about an object in its current state.
func (s *Stripe) event(kind string, about object) Event { return s.Sign(kind, about, time.Now()) }

// Complete pays at a checkout. The session is then completed. Complete returns the ID of the new, active subscription
// and the event.
func (s *Stripe) Complete(url string) (subscription string, e Event) {
	s.mu.Lock()
	session := s.find("checkout/sessions", url[strings.LastIndexByte(url, '/')+1:])
	if session == nil || session["status"] != "open" {
		s.mu.Unlock()
		return "", Event{}
	}

	session["status"] = "complete"
	o := s.add("subscriptions", "sub", object{
		"status": "active", "customer": session["customer"], "metadata": session["metadata"],
		"items": object{"object": "list", "data": []object{{"id": "si_1", "price": object{"id": session["price"]}}}},
	})

	about := object{"id": session["id"], "object": "checkout.session", "customer": session["customer"]}
	s.mu.Unlock()
	return o["id"].(string), s.event("checkout.session.completed", about)
}

// Change sets a subscription's status and, unless price is empty, its price, and returns an event of a type about it.
func (s *Stripe) Change(subscription, status, price, kind string) Event {
	s.mu.Lock()
	o := s.set("subscriptions", subscription, "status", status)
	if price != "" {
		o["items"] = object{"object": "list", "data": []object{{"id": "si_1", "price": object{"id": price}}}}
	}

	about := object{"id": subscription, "object": "subscription", "customer": o["customer"], "status": status}
	s.mu.Unlock()
	return s.event(kind, about)
}

// Subscriptions returns the number of subscriptions that have not ended.
func (s *Stripe) Subscriptions() (live int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.objects["subscriptions"] {
		if o["status"] != "canceled" {
			live++
		}
	}

	return live
}

// Bill is a payment.
type Bill struct {
	Customer string // Stripe's ID
	Currency string // in lower case
	Amount   int64  // in hundredths, without tax
	Tax      int64  // added to Amount
	Price    string
	At       time.Time
	Name     string
	Country  string
	VATID    string
	Verified bool
}

// Pay creates a paid invoice, and returns its event.
func (s *Stripe) Pay(b Bill) (invoice string, e Event) {
	s.mu.Lock()
	intent := s.add("payment_intents", "pi", object{"latest_charge": object{"id": "ch_1", "object": "charge",
		"amount_refunded": 0}})
	taxIDs, verified := []object{}, []object{}
	if b.VATID != "" {
		taxIDs = append(taxIDs, object{"type": "eu_vat", "value": b.VATID})
		status := "unverified"
		if b.Verified {
			status = "verified"
		}

		verified = append(verified, object{"id": "txi_1", "object": "tax_id", "type": "eu_vat", "value": b.VATID,
			"verification": object{"status": status}})
	}

	end := b.At.AddDate(0, 1, 0)
	o := s.add("invoices", "in", object{
		"status": "paid", "currency": b.Currency, "total": b.Amount + b.Tax, "customer_name": b.Name,
		"customer_email": "facturi@client.example",
		"customer": object{"id": b.Customer, "object": "customer",
			"tax_ids": object{"object": "list", "data": verified}},
		"customer_tax_ids":   taxIDs,
		"status_transitions": object{"paid_at": b.At.Unix()},
		"customer_address": object{"line1": "Str. Inventată nr. 3", "city": "Brașov", "state": "Brașov",
			"postal_code": "500003", "country": b.Country},
		"lines": object{"object": "list", "data": []object{{
			"id": "il_1", "object": "line_item", "amount": b.Amount, "description": "1 × Starter",
			"period":  object{"start": b.At.Unix(), "end": end.Unix()},
			"pricing": object{"type": "price_details", "price_details": object{"price": b.Price, "product": "prod_1"}},
			"taxes":   []object{{"amount": b.Tax, "tax_behavior": "exclusive"}},
		}}},
	})

	payment := s.add("invoice_payments", "inpay", object{
		"status": "paid", "payment": object{"type": "payment_intent", "payment_intent": intent["id"]},
		"invoice": object{"id": o["id"], "object": "invoice", "customer": b.Customer},
	})

	o["payments"] = object{"object": "list", "data": []object{{"id": payment["id"], "object": "invoice_payment",
		"payment": payment["payment"]}}}
	about := object{"id": o["id"], "object": "invoice", "customer": b.Customer}
	s.mu.Unlock()
	return o["id"].(string), s.event("invoice.paid", about)
}

// Refund refunds an amount of an invoice in total, and returns its event.
func (s *Stripe) Refund(invoice string, amount int64) Event {
	s.mu.Lock()
	var intent string
	for _, p := range s.objects["invoice_payments"] {
		if p["invoice"].(object)["id"] == invoice {
			intent = p["payment"].(object)["payment_intent"].(string)
		}
	}

	s.set("payment_intents", intent, "latest_charge",
		object{"id": "ch_1", "object": "charge", "amount_refunded": amount})
	s.mu.Unlock()
	return s.event("charge.refunded", object{"id": "ch_1", "object": "charge", "payment_intent": intent})
}

// Customers returns the IDs of the stand-in's customers.
func (s *Stripe) Customers() (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.objects["customers"] {
		ids = append(ids, o["id"].(string))
	}

	return ids
}
