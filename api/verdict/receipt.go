package verdict

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// parameters returns the JSON object of what the caller sent; nil if nothing was sent.
func (i *Invoice) parameters() []byte {
	if *i == (Invoice{}) {
		return nil
	}

	sent := struct {
		Amount     *ro.Decimal `json:"amount,omitempty"`
		Payment    Payment     `json:"payment,omitempty"`
		VATCharged ro.YesNo    `json:"vatCharged,omitempty"`
		Name       Name        `json:"name,omitempty"`
		Address    Address     `json:"address,omitempty"`
		IBAN       ro.IBAN     `json:"iban,omitempty"`
	}{nil, i.Payment, i.VATCharged, i.Name, i.Address, i.IBAN}
	if i.Amount.Sign() != 0 {
		sent.Amount = &i.Amount.Decimal
	}

	return jsontext.MustEncode(sent)
}

// addParameters adds the salted hash of the parameters. Without the salt, somebody with the receipt could try all
// amounts until the hash is the same.
func (v *Verdict) addParameters(parameters []byte, salt string) {
	hash := sha256.Sum256(append([]byte(salt), parameters...))
	v.ParametersSHA256, v.ParametersSalt = new(fmt.Sprintf("%x", hash)), &salt
}

// certified adds a receipt to a verdict, and its document, whose entity tag leaves out what may differ between two
// answers from the same records.
func certified(ctx context.Context, receipts proof.Receipts, answer op.Answer[*Verdict],
	status *company.Status) (op.Answer[*Verdict], error) {
	v := answer.Value
	content, err := op.EncodeDocument(v.content())
	if err != nil {
		return answer, err
	}

	v.Receipt, answer.Renderer = proof.Attach(ctx, receipts, func() (proof.Statement, error) {
		retrievedAt := cmp.Or(retrieved(v.Sources), answer.Freshness.RetrievedAt.UTC().Truncate(time.Second))
		return v.statement(content.JSON, status, retrievedAt)
	})
	whole, err := op.EncodeDocument(v)
	if err != nil {
		return answer, err
	}

	answer.Document = op.NewVariant(whole.JSON, content.ETag())
	return answer, nil
}

// statement returns the statement with the certified content. Its record is that of the statuses, if there are any.
func (v *Verdict) statement(content []byte, status *company.Status, retrievedAt time.Time) (proof.Statement, error) {
	s := proof.Statement{TaxID: v.TaxID, Date: v.Date, KnownAt: &v.KnownAt, RetrievedAt: retrievedAt,
		Status: proof.Certified(content)}
	if v.Name != nil {
		s.Name = *v.Name
	}
	if status == nil && retrievedAt.IsZero() {
		return s, problem.Unavailable.New("the tax authority could not be asked about this number, so there is nothing " +
			"to prove; try again later")
	}
	if status == nil {
		return s, nil
	}

	record, err := status.RecordSHA256()
	s.RetrievedAt, s.RecordSHA256 = status.RetrievedAt, record
	return s, err
}

// content returns the part of the verdict that is certified. It lacks what the caller sent, so the salt and the facts
// that are read from the IBAN, too.
func (v *Verdict) content() any {
	content := struct {
		Verdict
		ParametersSalt *string        `json:"parametersSalt,omitempty"`
		Sources        []proof.Source `json:"sources"`
		Receipt        *string        `json:"receipt,omitempty"`
	}{Verdict: *v, Sources: []proof.Source{}}
	content.Rules = slices.Clone(v.Rules)
	for i := range content.Rules {
		facts := &content.Rules[i].Facts
		facts.Country, facts.BankCode, facts.Treasury = "", "", nil
	}
	for _, source := range v.Sources {
		content.Sources = append(content.Sources, source.Certified())
	}

	return content
}

// retrieved returns when the first of the sources was retrieved.
func retrieved(sources []company.Source) (first time.Time) {
	for _, source := range sources {
		if source.RetrievedAt != nil && (first.IsZero() || source.RetrievedAt.Before(first)) {
			first = *source.RetrievedAt
		}
	}

	return first
}
