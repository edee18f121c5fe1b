package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/billing/efactura"
	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/internal/work"
)

// paymentBackoff lists the pauses between attempts to invoice a payment. Billing never gives up, because it owes the
// invoice.
var paymentBackoff = work.Backoff{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour}

// patience is the maximum wait for the verification of a VAT number. After that, the customer is treated as having no
// number.
const patience = 72 * time.Hour

func (b *Billing) settlePayment(ctx context.Context, p store.Payment) {
	err := b.invoicePayment(ctx, p)
	switch {
	case err == nil:
		b.wake(store.Rendering)
		return
	case errors.Is(err, work.ErrLeaseLost):
		return
	}

	pause := paymentBackoff.After(p.Tries)
	p.Problem = err.Error()
	b.o.Logger.Error("invoicing a payment failed", "payment", p.ID, "account", p.Account, "tries", p.Tries, "again_in",
		pause.String(), "error", err)
	b.write(ctx, "payment "+p.ID, func(ctx context.Context) error {
		return b.o.Store.PostponePayment(ctx, p, b.o.Now().Add(pause))
	})
}

func (b *Billing) invoicePayment(ctx context.Context, p store.Payment) error {
	bill, err := b.o.Stripe.invoice(ctx, p.ID)
	if err != nil {
		return err
	}
	if bill.unverified && b.o.Now().Sub(bill.at) < patience {
		return errors.New("the customer's VAT number is still being verified")
	}

	var exchange invoice.Exchange
	if bill.paid && bill.total != 0 && bill.currency != "RON" {
		if exchange, err = b.o.Exchange.Lei(ctx, bill.currency, b.day(bill.at)); err != nil {
			return fmt.Errorf("finding the exchange rate: %w", err)
		}
	}

	p.Problem = bill.warning()
	var issued []store.Issuance
	err = b.o.Store.Issue(ctx, p, b.o.Series, func(latest *invoice.Invoice, next int) ([]store.Issuance, error) {
		issued, err = b.decide(bill, exchange, latest, next)
		return issued, err
	})
	if err == nil && len(issued) > 0 && p.Problem != "" {
		b.o.Logger.Warn("a payment was invoiced with a warning", "payment", p.ID, "account", p.Account, "invoice",
			issued[0].Invoice.Label(), "warning", p.Problem)
	}

	return err
}

// warning returns a problem that the operator must fix although the payment is invoiced, or the empty text. Only
// residents abroad may pay in a foreign currency (BNR regulation 4/2005). If a resident of Romania does so, billing
// still owes the invoice, with its VAT in lei.
func (i stripeInvoice) warning() string {
	if !i.paid || i.total == 0 || i.currency == "RON" || i.customer.Address.Country != "RO" {
		return ""
	}
	return "invoiced, but a customer in Romania paid in " + i.currency +
		": give the price an amount in RON at Stripe (BNR regulation 4/2005)"
}

// decide creates the missing invoices of a payment: one for the payment itself and, after a refund, a correction of the
// latest invoice and an invoice for the remainder.
func (b *Billing) decide(bill stripeInvoice, exchange invoice.Exchange, latest *invoice.Invoice,
	next int) (issued []store.Issuance, err error) {
	issue := func(i invoice.Invoice, err error) error {
		if err != nil {
			return err
		}

		issued, latest = append(issued, store.Issuance{Invoice: i, State: b.initialState(i)}), &i
		return nil
	}
	if !bill.paid || latest == nil && bill.total == 0 {
		return nil, nil
	}

	if latest == nil {
		if err := issue(invoice.New(b.draft(bill, exchange, next))); err != nil {
			return nil, err
		}
	}

	remaining := max(bill.total-bill.refunded, 0)
	invoiced := latest.Gross
	if latest.Kind == invoice.Storno {
		invoiced = 0
	}
	if invoiced == remaining {
		return issued, nil
	}

	if invoiced > 0 {
		correction, err := latest.Correct(invoice.Correction{
			ID: account.NewID(), Series: b.o.Series, Number: next + len(issued), IssueDate: b.today(),
			Reason: "Restituirea sumei încasate / Refund",
		})
		if err := issue(correction, err); err != nil {
			return nil, err
		}
	}

	if remaining > 0 {
		if err := issue(invoice.New(b.remainder(bill, *latest, remaining, next+len(issued)))); err != nil {
			return nil, err
		}
	}

	return issued, nil
}

func (b *Billing) initialState(i invoice.Invoice) efactura.State {
	if _, required := efactura.Describe(i, nil); required && b.sender != nil && !b.withholds(i) {
		return efactura.Pending
	}
	return efactura.NotRequired
}

// withholds reports whether an invoice must not be sent: a test invoice never goes to RO e-Factura's production
// service.
func (b *Billing) withholds(i invoice.Invoice) bool { return i.Test && b.o.EFactura.IsProduction() }

// draft returns the draft for a payment. Its total is the paid amount, no matter what VAT Stripe calculated.
func (b *Billing) draft(bill stripeInvoice, exchange invoice.Exchange, number int) invoice.Draft {
	day := b.day(bill.at)
	d := invoice.Draft{
		ID: account.NewID(), Series: b.o.Series, Number: number, IssueDate: b.today(), SupplyDate: day, PaidOn: day,
		Seller: *b.o.Seller, Customer: bill.customer, Currency: bill.currency, VATIncluded: true, Exchange: exchange,
		VATRates: b.o.VAT, Test: b.o.Stripe.test,
	}

	for _, l := range bill.lines {
		d.Items = append(d.Items, invoice.Item{Name: b.lineName(l), Quantity: 1, Price: l.gross})
	}

	if l := bill.lines[0]; l.from.Before(l.to) {
		d.Period = invoice.Period{From: b.day(l.from), To: b.day(l.to.Add(-24 * time.Hour))}
		if d.Period.To.Compare(d.Period.From) < 0 {
			d.Period.To = d.Period.From
		}
	}

	return d
}

// lineName returns the name of a line: the plan, or Stripe's description.
func (b *Billing) lineName(l stripeLine) string {
	if p := b.productByPrice(l.price); p != nil {
		return "Abonament " + p.Name
	}
	return l.text
}

// remainder returns the draft for the amount that was not refunded, after a correction.
func (b *Billing) remainder(bill stripeInvoice, old invoice.Invoice, gross invoice.Amount, number int) invoice.Draft {
	return invoice.Draft{
		ID: account.NewID(), Series: b.o.Series, Number: number, IssueDate: b.today(), SupplyDate: old.SupplyDate,
		PaidOn: b.day(bill.at), Period: old.Period, Seller: old.Seller, Customer: old.Customer,
		Currency: old.Currency, VATIncluded: true, Exchange: old.Exchange, VATRates: b.o.VAT,
		Items: []invoice.Item{{Name: old.Lines[0].Name, Quantity: 1, Price: gross}}, Test: old.Test,
	}
}
