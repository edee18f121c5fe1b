package vat

import (
	"context"
	"time"

	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// certified adds the receipt, if the call named a requester. If it cannot be stored, the answer is sent without it.
func (d *Desk) certified(ctx context.Context, answer op.Answer[*VATCheck]) op.Answer[*VATCheck] {
	switch {
	case answer.Value.Status == Unknown:
		answer.Renderer = proof.Uncertified{Err: nothingToCertify(answer.Value)}
		return answer
	case answer.Value.Requester == nil:
		answer.Renderer = noReceipt
		return answer
	}

	check := *answer.Value
	check.Receipt, answer.Renderer = proof.Attach(ctx, d.Receipts, check.statement)
	answer.Value, answer.Document = &check, nil
	return answer
}

var noReceipt op.Renderer = proof.Uncertified{Err: problem.Invalid(&problem.InputError{
	Parameter: "requester", Code: problem.Required,
	Accepted: "only an answer of VIES to a requester has a receipt; send your own VAT number, such as " +
		"requester=RO14399840",
})}

// nothingToCertify is the problem of a receipt for a number that could not be checked.
func nothingToCertify(c *VATCheck) error {
	p := problem.Unavailable.New("VIES cannot be queried about %s right now, so there is no answer to certify; try "+
		"again later", c.VATNumber).After(time.Second)
	if c.RetryAfterSeconds != nil {
		p.RetryAfter = time.Duration(*c.RetryAfterSeconds) * time.Second
	}

	return p
}

// statement returns the certified content: VIES's answer, without the fields that differ between calls that use the
// same answer, and without the tax authority's data.
func (c *VATCheck) statement() (proof.Statement, error) {
	status := struct {
		VATNumber          ro.VATNumber   `json:"vatNumber"`
		CountryCode        string         `json:"countryCode"`
		Status             VATStatus      `json:"status"`
		Name               *string        `json:"name"`
		Address            *string        `json:"address"`
		RequestDate        *time.Time     `json:"requestDate"`
		ConsultationNumber *string        `json:"consultationNumber"`
		Requester          *ro.VATNumber  `json:"requester"`
		Sources            []proof.Source `json:"sources"`
	}{
		c.VATNumber, c.CountryCode, c.Status, c.Name, c.Address, c.RequestDate, c.ConsultationNumber, c.Requester,
		[]proof.Source{c.Sources[0].Certified()},
	}
	return proof.Statement{
		VATNumber: c.VATNumber, Name: lists.OrEmpty(c.Name), Date: ro.DateIn(c.RetrievedAt, ro.Bucharest),
		RetrievedAt: c.RetrievedAt, RecordSHA256: c.RecordSHA256, Status: proof.Certified(jsontext.MustEncode(status)),
	}, nil
}
