package billing

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"

	"github.com/rodata/rodata/billing/invoice"
)

// paid is a paid invoice of Stripe, with the parts that our invoice needs. Amounts are in hundredths and include VAT.
type paid struct {
	open     bool // not paid, or no longer
	at       time.Time
	currency string // ISO 4217
	total    invoice.Amount
	refunded invoice.Amount
	lines    []paidLine
	customer invoice.Customer
	// unverified means that the customer's VAT number is still being verified.
	unverified bool
}

type paidLine struct {
	text     string
	price    string // as Stripe describes it; empty for part of a line
	gross    invoice.Amount
	from, to time.Time
}

// paid reads an invoice and its refunds.
func (s *Stripe) paid(ctx context.Context, id string) (paid, error) {
	params := &stripe.InvoiceRetrieveParams{}
	params.AddExpand("payments")
	params.AddExpand("customer.tax_ids")
	i, err := s.client.V1Invoices.Retrieve(ctx, id, params)
	if err != nil {
		return paid{}, failed("reading invoice "+id, err)
	}

	p := paid{
		open: i.Status != stripe.InvoiceStatusPaid, currency: strings.ToUpper(string(i.Currency)),
		total: invoice.Amount(i.Total), lines: linesOf(i),
	}
	if i.StatusTransitions != nil {
		p.at = time.Unix(i.StatusTransitions.PaidAt, 0)
	}

	p.customer, p.unverified = customerOf(i)
	p.refunded, err = s.refunded(ctx, i)
	return p, err
}

// linesOf returns an invoice's lines with their amounts after discounts and with added tax. If they do not add up to
// the total, a single line replaces them.
func linesOf(i *stripe.Invoice) []paidLine {
	var lines []paidLine
	var sum invoice.Amount
	if i.Lines != nil {
		for _, l := range i.Lines.Data {
			lines = append(lines, lineOf(l))
			sum += lines[len(lines)-1].gross
		}
	}

	if len(lines) > 0 && sum == invoice.Amount(i.Total) {
		return lines
	}

	one := paidLine{text: cmp.Or(i.Description, i.Number, i.ID)}
	if len(lines) > 0 {
		one = lines[0]
	}

	one.gross = invoice.Amount(i.Total)
	return []paidLine{one}
}

func lineOf(l *stripe.InvoiceLineItem) paidLine {
	line := paidLine{text: l.Description, gross: invoice.Amount(l.Amount)}
	for _, d := range l.DiscountAmounts {
		line.gross -= invoice.Amount(d.Amount)
	}

	for _, t := range l.Taxes {
		if t.TaxBehavior == stripe.InvoiceLineItemTaxTaxBehaviorExclusive {
			line.gross += invoice.Amount(t.Amount)
		}
	}

	if l.Period != nil {
		line.from, line.to = time.Unix(l.Period.Start, 0), time.Unix(l.Period.End, 0)
	}

	part := l.Parent != nil && l.Parent.SubscriptionItemDetails != nil && l.Parent.SubscriptionItemDetails.Proration
	if !part && l.Pricing != nil && l.Pricing.PriceDetails != nil && l.Pricing.PriceDetails.Price != nil {
		line.price = l.Pricing.PriceDetails.Price.ID
	}

	return line
}

// customerOf returns the recipient of an invoice, as recorded at the time. A VAT number of another country of the Union
// counts only if it has been verified.
func customerOf(i *stripe.Invoice) (c invoice.Customer, unverified bool) {
	c = invoice.Customer{Name: cmp.Or(i.CustomerName, i.CustomerEmail), Email: i.CustomerEmail}
	if a := i.CustomerAddress; a != nil {
		street := strings.TrimSpace(a.Line1 + " " + a.Line2)
		c.Address = invoice.Address{Street: street, City: a.City, County: a.State, PostalCode: a.PostalCode,
			Country: a.Country}
	}

	for _, id := range i.CustomerTaxIDs {
		switch {
		case id.Type != nil && *id.Type == stripe.TaxIDTypeEUVAT && c.VATID == "":
			state := verification(i.Customer, id.Value)
			unverified = state == stripe.TaxIDVerificationStatusPending ||
				state == stripe.TaxIDVerificationStatusUnavailable
			if c.Address.Country == "RO" || state == stripe.TaxIDVerificationStatusVerified {
				c.VATID, unverified = id.Value, false
			} else {
				c.RegistrationID = id.Value
			}
		case c.RegistrationID == "":
			c.RegistrationID = id.Value
		}
	}

	return c, unverified
}

// verification returns the status of Stripe's verification of a customer's number.
func verification(c *stripe.Customer, value string) stripe.TaxIDVerificationStatus {
	if c == nil || c.TaxIDs == nil {
		return ""
	}

	for _, id := range c.TaxIDs.Data {
		if id.Value == value && id.Verification != nil {
			return id.Verification.Status
		}
	}

	return ""
}

// refunded returns the amount returned after the payment of an invoice: refunds of its payments, and credit notes
// beyond those refunds.
func (s *Stripe) refunded(ctx context.Context, i *stripe.Invoice) (sum invoice.Amount, err error) {
	if i.Payments != nil {
		for _, p := range i.Payments.Data {
			refund, err := s.refund(ctx, p)
			if err != nil {
				return 0, err
			}

			sum += refund
		}
	}

	if i.PostPaymentCreditNotesAmount == 0 {
		return sum, nil
	}

	params := &stripe.CreditNoteListParams{ListParams: onePage(), Invoice: stripe.String(i.ID)}
	for note, err := range s.client.V1CreditNotes.List(ctx, params).All(ctx) {
		if err != nil {
			return 0, failed("listing the credit notes of invoice "+i.ID, err)
		}
		if note.Status != stripe.CreditNoteStatusIssued {
			continue
		}

		credit := note.PostPaymentAmount
		for _, r := range note.Refunds {
			credit -= r.AmountRefunded
		}

		sum += invoice.Amount(max(credit, 0))
	}

	return sum, nil
}

// refund returns the refunded amount of one payment of an invoice.
func (s *Stripe) refund(ctx context.Context, p *stripe.InvoicePayment) (invoice.Amount, error) {
	switch by := p.Payment; {
	case by == nil:
		return 0, nil
	case by.PaymentIntent != nil:
		params := &stripe.PaymentIntentRetrieveParams{}
		params.AddExpand("latest_charge")
		intent, err := s.client.V1PaymentIntents.Retrieve(ctx, by.PaymentIntent.ID, params)
		if err != nil || intent.LatestCharge == nil {
			return 0, failed("reading payment "+by.PaymentIntent.ID, err)
		}

		return invoice.Amount(intent.LatestCharge.AmountRefunded), nil
	case by.Charge != nil:
		charge, err := s.client.V1Charges.Retrieve(ctx, by.Charge.ID, nil)
		if err != nil {
			return 0, failed("reading charge "+by.Charge.ID, err)
		}
		return invoice.Amount(charge.AmountRefunded), nil
	}

	return 0, nil
}

// invoiceOf returns the invoice of a payment and its customer; both are empty for a payment without an invoice.
func (s *Stripe) invoiceOf(ctx context.Context, intent string) (id, customer string, err error) {
	if intent == "" {
		return "", "", nil
	}

	params := &stripe.InvoicePaymentListParams{ListParams: onePage(), Payment: &stripe.InvoicePaymentListPaymentParams{
		Type: stripe.String("payment_intent"), PaymentIntent: stripe.String(intent),
	}}
	params.AddExpand("data.invoice")
	for p, err := range s.client.V1InvoicePayments.List(ctx, params).All(ctx) {
		if err != nil {
			return "", "", failed("finding the invoice of payment "+intent, err)
		}
		if p.Invoice != nil && p.Invoice.Customer != nil {
			id, customer = p.Invoice.ID, p.Invoice.Customer.ID
		}
	}

	return id, customer, nil
}
