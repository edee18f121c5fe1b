package billing

import (
	"context"

	"github.com/stripe/stripe-go/v85"

	"github.com/rodata/rodata/billing/invoice"
)

// refundedAmount returns the amount returned after the payment of an invoice: refunds of its payments, and credit notes
// beyond those refunds.
func (s *Stripe) refundedAmount(ctx context.Context, i *stripe.Invoice) (sum invoice.Amount, err error) {
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
			return 0, wrapFailure("listing the credit notes of invoice "+i.ID, err)
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

func (s *Stripe) refund(ctx context.Context, p *stripe.InvoicePayment) (invoice.Amount, error) {
	switch by := p.Payment; {
	case by == nil:
	case by.PaymentIntent != nil:
		params := &stripe.PaymentIntentRetrieveParams{}
		params.AddExpand("latest_charge")
		intent, err := s.client.V1PaymentIntents.Retrieve(ctx, by.PaymentIntent.ID, params)
		if err != nil || intent.LatestCharge == nil {
			return 0, wrapFailure("reading payment "+by.PaymentIntent.ID, err)
		}

		return invoice.Amount(intent.LatestCharge.AmountRefunded), nil
	case by.Charge != nil:
		charge, err := s.client.V1Charges.Retrieve(ctx, by.Charge.ID, nil)
		if err != nil {
			return 0, wrapFailure("reading charge "+by.Charge.ID, err)
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
			return "", "", wrapFailure("finding the invoice of payment "+intent, err)
		}
		if p.Invoice != nil && p.Invoice.Customer != nil {
			id, customer = p.Invoice.ID, p.Invoice.Customer.ID
		}
	}

	return id, customer, nil
}
