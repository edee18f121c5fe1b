// Package verdict judges a supplier by named rules, from what the registers said about a day. It gives no score: each
// rule passes, fails, is unknown or does not apply, with its facts, source, day and law.
package verdict

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/internal/recent"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type verifySupplierInput struct {
	CUI        ro.CUI   `arg:"cui" in:"path" doc:"Company tax id (CUI): 2 to 10 digits, without RO." example:"14399840"`
	Date       ro.Date  `arg:"date" doc:"Date of the verdict, such as an invoice date: 1993-07-01 to today; default today." example:"2025-03-31"`
	KnownAt    ro.Date  `arg:"knownAt" doc:"Limits the verdict to what could be known by the end of this day; default date." example:"2025-04-02"`
	Amount     Amount   `arg:"amount" doc:"Amount paid, in RON." example:"2500"`
	Payment    Payment  `arg:"payment" doc:"How it is paid." example:"cash"`
	VATCharged ro.YesNo `arg:"vatCharged" doc:"Whether the invoice charges VAT." example:"true"`
	Name       Name     `arg:"name" doc:"The supplier's name on the invoice." example:"Exemplu SRL"`
	Address    Address  `arg:"address" doc:"The supplier's address on the invoice, place and county between commas." example:"Str. Exemplu 1, Cluj-Napoca, Cluj"`
	IBAN       ro.IBAN  `arg:"iban" doc:"The account to pay to." example:"RO49AAAA1B31007593840000"`
}

// Verdict is the verdict on a supplier for a day.
type Verdict struct {
	TaxID                ro.CUI           `json:"taxId" doc:"The CUI."`
	Name                 *string          `json:"name" doc:"Registered name; null if no register has the company."`
	Date                 ro.Date          `json:"date" doc:"The day of the verdict."`
	KnownAt              ro.Date          `json:"knownAt" doc:"What became known after the end of this day does not count."`
	Outcome              Outcome          `json:"outcome" doc:"stop: a stop rule fails. incomplete: else, a stop rule is unknown. attention: else, an attention rule fails. clear: else."`
	ChangedRetroactively bool             `json:"changedRetroactively" doc:"Whether the register says something else about the day now: see the rules' facts."`
	RulesVersion         string           `json:"rulesVersion" doc:"Version of the rules: see GET /v1/verdict-rules."`
	Rules                []Finding        `json:"rules" brief:"For each rule: id, level, result, reason, label, facts, source, asOf, law." doc:"All rules, in the order of GET /v1/verdict-rules."`
	ParametersSHA256     *string          `json:"parametersSha256" doc:"SHA-256, in hexadecimal, of the JSON object of amount (a number), payment, vatCharged (a text), name, address and iban (upper case, only letters and digits), in this order, without those left out; null if none was sent. The receipt has it in place of the values."`
	Sources              []company.Source `json:"sources" doc:"One entry for each register that the answer uses."`
	Receipt              *proof.ReceiptID `json:"receipt" doc:"Id of this verdict's signed receipt, kept at /v1/receipts/{id} for ten years; null when it could not be stored, the day's receipts for callers without a key and for unknown numbers are used up, or no register could be asked."`
}

// question is what a verdict depends on, besides the profile of the company.
type question struct {
	company        ro.CompanyDay
	knownAt, today ro.Date
	sent           string // the hash of what the caller sent
}

// judged is a verdict on the company with a profile.
type judged struct {
	profile *company.Company
	answer  op.Answer[*Verdict]
}

// Recent verdicts are kept while the profile stays the same: maxRecent bytes of them, each for at most keptFor, because
// the register of VAT on collection changes without the profile.
const (
	maxRecent = 16 << 20
	keptFor   = 5 * time.Minute
)

// Verify returns the operation verify_supplier.
func Verify(companies company.Companies, known company.History, receipts proof.Receipts) *op.Operation {
	recently := recent.NewSized(maxRecent, func(_ question, j judged) int { return 3 * len(j.answer.Document.JSON) })
	return op.Define(op.Spec{
		Name: "verify_supplier", Method: "GET", Path: "/v1/companies/{cui}/verdict", Tag: tag.Companies,
		Alternates: proof.Forms,
		Title:      "Verify a Romanian supplier for a date",
		Description: "Verdict on a Romanian supplier for the date of an invoice, by named rules: whether it existed, " +
			"was inactive, registered for VAT, in operation, insolvent, and whether amount, name, address and IBAN " +
			"agree with the law and the registers. Each rule passes, fails, is unknown or not applicable, with facts, " +
			"register, day and law; there is no score. Use it before paying or deducting VAT; use get_company instead " +
			"for the profile. Only what could be known on the date counts. Costs 1 credit, nothing if no register has " +
			"the number (not a 404: the rule exists fails) or no stop rule is known; free without a key, limited by " +
			"IP address. The tax authority's data is at most a day old, the trade register's a monthly release. Not " +
			"covered: sanctions, owners, debts, courts, who owns an account.",
		Tool: true, OpenWorld: true, Cost: 1, Entitlement: metering.CompaniesRead,
		Errors: []*problem.Kind{problem.UpstreamError, problem.Unavailable, problem.UpstreamTimeout},
	}, func(ctx context.Context, _ account.Caller, in verifySupplierInput) (op.Answer[*Verdict], error) {
		today := ro.Today()
		day := cmp.Or(in.Date, today)
		if err := company.CheckStatusDay("date", day); err != nil {
			return op.Answer[*Verdict]{}, err
		}

		knownAt := cmp.Or(in.KnownAt, day)
		if err := company.CheckStatusDay("knownAt", knownAt); err != nil {
			return op.Answer[*Verdict]{}, err
		}

		asked := ro.CompanyDay{CUI: in.CUI}
		if day != today {
			asked.Day = day
		}

		f := Facts{Day: day, KnownAt: knownAt, Today: today, Invoice: Invoice{
			in.Amount, in.Payment, in.VATCharged, in.Name, in.Address, in.IBAN,
		}}
		sent := f.Invoice.hash()
		key := question{asked, knownAt, today, orEmpty(sent)}
		profile, err := companies.Company(ctx, asked)
		if stored, ok := recently.Get(key); ok && profile.Value == stored.profile {
			stored.answer.Freshness = profile.Freshness
			return stored.answer, nil
		}

		s, err := known.Supplier(ctx, company.Found{Answer: profile, Err: err}, in.CUI, day, knownAt)
		if err != nil {
			return op.Answer[*Verdict]{}, company.HistoryProblem(ctx, in.CUI, err)
		}

		f.add(&s)
		if f.Company != nil {
			f.Insolvency = companies.Insolvency(ctx, f.Company)
		}

		v := &Verdict{TaxID: in.CUI, Date: day, KnownAt: knownAt, RulesVersion: RulesVersion,
			ParametersSHA256: sent, Sources: sourcesOf(&s)}
		if f.Company != nil {
			v.Name = &f.Company.Name
		}

		v.Outcome, v.Rules = Judge(&f)
		v.ChangedRetroactively = slices.ContainsFunc(v.Rules, func(found Finding) bool {
			return found.Facts.ChangedRetroactively != nil && *found.Facts.ChangedRetroactively
		})

		answer := op.Answer[*Verdict]{Value: v, Free: !v.isInformative(), Freshness: s.Profile.Freshness}
		answer, err = certified(ctx, receipts, answer, s.Status)
		if err == nil && v.Receipt != nil && f.Company != nil {
			recently.PutUntil(key, judged{f.Company, answer}, time.Now().Add(keptFor))
		}

		return answer, err
	})
}

// isInformative reports whether the verdict says something about a company.
func (v *Verdict) isInformative() bool {
	return v.Name != nil && slices.ContainsFunc(v.Rules, func(found Finding) bool {
		return found.Level == Stop && found.Result != Unknown && found.Result != NotApplicable
	})
}

// add adds what the registers said.
func (f *Facts) add(s *company.Supplier) {
	f.addProfile(s.Profile.Value, s.Release)
	f.Past = s.Past
	f.Tax.HasAnswered = s.TaxErr == nil || errors.Is(s.TaxErr, op.ErrUnknown)
	f.Tax.IsListing = s.TaxErr == nil
	if s.Status != nil {
		f.Then, f.Now = &s.Status.StatusesOnDay, s.Status.Now
	}
}

// sourcesOf returns the sources of a verdict. An observation of the tax authority's record takes the place of the
// answer that it did not give.
func sourcesOf(s *company.Supplier) []company.Source {
	sources := []company.Source{}
	if s.Profile.Value != nil {
		sources = slices.Clone(s.Profile.Value.Sources)
	}

	if s.Status == nil {
		return sources
	}

	for _, source := range s.Status.Sources {
		i := slices.IndexFunc(sources, func(other company.Source) bool { return other.Name == source.Name })
		switch {
		case i < 0:
			sources = append(sources, source)
		case sources[i].RetrievedAt == nil:
			sources[i] = source
		}
	}

	return sources
}

// hash returns the hash of what the caller sent; nil if nothing was sent.
func (i *Invoice) hash() *string {
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
	if *i == (Invoice{}) {
		return nil
	}

	return new(fmt.Sprintf("%x", sha256.Sum256(jsontext.MustEncode(sent))))
}

// certified adds a receipt to a verdict, and its document, whose entity tag leaves out what may differ between two
// answers from the same records. If the receipt cannot be stored, the verdict is sent without it.
func certified(ctx context.Context, receipts proof.Receipts, answer op.Answer[*Verdict],
	status *company.Status) (op.Answer[*Verdict], error) {
	v := answer.Value
	content, err := op.EncodeDocument(v.content())
	if err != nil {
		return answer, err
	}

	asked := answer.Freshness.RetrievedAt.UTC().Truncate(time.Second)
	statement := proof.Statement{TaxID: v.TaxID, Date: v.Date, KnownAt: &v.KnownAt,
		RetrievedAt: cmp.Or(retrieved(v.Sources), asked), Status: proof.Certified(content.JSON)}
	if v.Name != nil {
		statement.Name = *v.Name
	}
	if status != nil {
		raw, err := status.Record.Raw()
		if err != nil {
			return answer, err
		}

		statement.RetrievedAt = status.RetrievedAt
		statement.RecordSHA256 = fmt.Sprintf("%x", sha256.Sum256(raw))
	}

	if statement.RetrievedAt.IsZero() {
		answer.Renderer = proof.Uncertified{Err: problem.Unavailable.New(
			"the tax authority could not be asked about this number, so there is nothing to prove; try again later")}
	} else if id, renderer, err := receipts.Certify(ctx, statement); err != nil {
		answer.Renderer = proof.Uncertified{Err: proof.Problem(ctx, err)}
	} else {
		v.Receipt, answer.Renderer = &id, renderer
	}

	whole, err := op.EncodeDocument(v)
	if err != nil {
		return answer, err
	}

	answer.Document = op.NewVariant(whole.JSON, content.ETag())
	return answer, nil
}

// content returns the part of the verdict that is certified. It lacks what the caller sent, so the facts that are read
// from the IBAN, too.
func (v *Verdict) content() any {
	content := struct {
		Verdict
		Sources []proof.Source `json:"sources"`
		Receipt *string        `json:"receipt,omitempty"`
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
