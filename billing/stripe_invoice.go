package billing

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"

	"github.com/rodata/rodata/billing/invoice"
)

// stripeInvoice is an invoice of Stripe, with the parts that our invoice needs. Amounts include VAT.
type stripeInvoice struct {
	paid     bool
	at       time.Time // of the payment
	currency string    // ISO 4217
	total    invoice.Amount
	refunded invoice.Amount
	lines    []stripeLine
	customer invoice.Customer
	// unverified means that a VAT number of the customer is still being verified, and no other one is verified.
	unverified bool
}

type stripeLine struct {
	text     string // Stripe's description
	price    string // the ID of its price; empty for a proration
	gross    invoice.Amount
	from, to time.Time
}

func (s *Stripe) invoice(ctx context.Context, id string) (stripeInvoice, error) {
	params := &stripe.InvoiceRetrieveParams{}
	params.AddExpand("payments")
	params.AddExpand("customer.tax_ids")
	i, err := s.client.V1Invoices.Retrieve(ctx, id, params)
	if err != nil {
		return stripeInvoice{}, wrapFailure("reading invoice "+id, err)
	}

	bill := stripeInvoice{
		paid: i.Status == stripe.InvoiceStatusPaid, currency: strings.ToUpper(string(i.Currency)),
		total: invoice.Amount(i.Total), lines: linesOf(i),
	}
	if i.StatusTransitions != nil {
		bill.at = time.Unix(i.StatusTransitions.PaidAt, 0)
	}

	bill.customer, bill.unverified = customerOf(i)
	bill.refunded, err = s.refundedAmount(ctx, i)
	return bill, err
}

// linesOf returns an invoice's lines with their amounts after discounts and with added tax. If they do not add up to
// the total, a single line replaces them.
func linesOf(i *stripe.Invoice) []stripeLine {
	var lines []stripeLine
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

	single := stripeLine{text: cmp.Or(i.Description, i.Number, i.ID)}
	if len(lines) > 0 {
		single = lines[0]
	}

	single.gross = invoice.Amount(i.Total)
	return []stripeLine{single}
}

func lineOf(l *stripe.InvoiceLineItem) stripeLine {
	line := stripeLine{text: l.Description, gross: invoice.Amount(l.Amount)}
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

	prorated := l.Parent != nil && l.Parent.SubscriptionItemDetails != nil &&
		l.Parent.SubscriptionItemDetails.Proration
	if !prorated && l.Pricing != nil && l.Pricing.PriceDetails != nil && l.Pricing.PriceDetails.Price != nil {
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
			status := verification(i.Customer, id.Value)
			if c.Address.Country == "RO" || status == stripe.TaxIDVerificationStatusVerified {
				c.VATID, unverified = id.Value, false
				continue
			}

			c.RegistrationID = cmp.Or(c.RegistrationID, id.Value)
			unverified = unverified || status == stripe.TaxIDVerificationStatusPending ||
				status == stripe.TaxIDVerificationStatusUnavailable
		case c.RegistrationID == "":
			c.RegistrationID = id.Value
		}
	}

	return c, unverified
}

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
