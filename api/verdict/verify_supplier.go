// Package verdict judges a supplier by named rules, from what the registers said about a day. It gives no score: each
// rule passes, fails, is unknown or does not apply, with its facts, source, day and law.
package verdict

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/api/tag"
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
	Name       Name     `arg:"name" max:"800" doc:"The supplier's name on the invoice." example:"Exemplu SRL"`
	Address    Address  `arg:"address" max:"1200" doc:"The supplier's address on the invoice, place and county between commas." example:"Str. Exemplu 1, Cluj-Napoca, Cluj"`
	IBAN       ro.IBAN  `arg:"iban" doc:"The account to pay to." example:"RO49AAAA1B31007593840000"`
}

// Verdict is the verdict on a supplier for a day.
type Verdict struct {
	TaxID                ro.CUI                 `json:"taxId" doc:"The CUI."`
	Name                 *string                `json:"name" doc:"Registered name; null if no register has the company."`
	Date                 ro.Date                `json:"date" doc:"The day of the verdict."`
	KnownAt              ro.Date                `json:"knownAt" doc:"What became known after the end of this day does not count."`
	Outcome              company.VerdictOutcome `json:"outcome" doc:"stop: a stop rule fails. incomplete: else, a stop rule is unknown. attention: else, an attention rule fails. clear: else."`
	ChangedRetroactively bool                   `json:"changedRetroactively" doc:"Whether the register says something else about the day now: see the rules' facts."`
	RulesVersion         string                 `json:"rulesVersion" doc:"Version of the rules: see GET /v1/verdict-rules."`
	Rules                []Finding              `json:"rules" brief:"For each rule: id, level, result, reason, label, facts, source, asOf, law." doc:"All rules, in the order of GET /v1/verdict-rules."`
	ParametersSHA256     *string                `json:"parametersSha256" doc:"SHA-256, in hexadecimal, of parametersSalt and then the JSON object of amount (a number), payment, vatCharged (a text), name, address and iban (upper case, only letters and digits), in this order, without those left out; null if none was sent. The receipt has it in place of the values."`
	ParametersSalt       *string                `json:"parametersSalt" doc:"Salt of parametersSha256, which the receipt lacks: keep it with the receipt to show what was sent. Null if nothing was sent."`
	Sources              []company.Source       `json:"sources" doc:"One entry for each register that the answer uses."`
	Receipt              *proof.ReceiptID       `json:"receipt" doc:"Id of this verdict's signed receipt, kept at /v1/receipts/{id} for ten years; null when it could not be stored, the day's receipts for callers without a key and for unknown numbers are used up, or no register could be asked."`
}

// verdictKey is what a verdict depends on, besides the profile of the company.
type verdictKey struct {
	company        ro.CompanyDay
	knownAt, today ro.Date
	parameters     string
	salt           string // which differs between callers
}

// storedVerdict is a recent verdict on the company with a profile.
type storedVerdict struct {
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
	recently := recent.NewSized(maxRecent, func(_ verdictKey, s storedVerdict) int {
		return 3 * len(s.answer.Document.JSON)
	})
	return op.Define(op.Spec{
		Name: "verify_supplier", Method: "GET", Path: "/v1/companies/{cui}/verdict", Tag: tag.Companies,
		Alternates: proof.Forms,
		Title:      "Verify a Romanian supplier for a date",
		Description: "Verdict on a Romanian supplier for the date of an invoice, by named rules: whether it existed, " +
			"was inactive, registered for VAT, in operation, insolvent, had filed its statement, and whether amount, name, address and IBAN " +
			"agree with law and registers. Each rule passes, fails, is unknown or not applicable, with facts, " +
			"register, day and law; no score. Use it before paying or deducting VAT; use get_company instead " +
			"for the profile. Only what could be known on the date counts. Costs 1 credit, nothing if no register has " +
			"the number (not a 404: exists fails) or no stop rule is known; free without a key, limited by " +
			"IP address. The tax authority's data is at most a day old, the trade register's is monthly. Not " +
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
		parameters, salt := f.Invoice.parameters(), ""
		if parameters != nil {
			salt = receipts.Salt(ctx, parameters)
		}

		key := verdictKey{asked, knownAt, today, string(parameters), salt}
		profile, err := companies.Company(ctx, asked)
		if stored, ok := recently.Get(key); ok && profile.Value == stored.profile {
			stored.answer.Freshness = profile.Freshness
			return stored.answer, nil
		}

		s, err := f.gather(ctx, companies, known, company.Found{Answer: profile, Err: err}, in.CUI)
		if err != nil {
			return op.Answer[*Verdict]{}, err
		}

		v := &Verdict{TaxID: in.CUI, Date: day, KnownAt: knownAt, RulesVersion: RulesVersion, Sources: sourcesOf(&s)}
		if f.Filings != nil {
			v.Sources = append(v.Sources, f.Filings.Source())
		}
		if parameters != nil {
			v.addParameters(parameters, salt)
		}
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
			recently.PutUntil(key, storedVerdict{f.Company, answer}, time.Now().Add(keptFor))
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

// JudgeOf returns the verdict in short, for lists of companies.
func JudgeOf(companies company.Companies, known company.History) company.Judge {
	return func(ctx context.Context, found company.Found, asked ro.CompanyDay) (*company.Verdict, error) {
		today := ro.Today()
		day := cmp.Or(asked.Day, today)
		f := Facts{Day: day, KnownAt: day, Today: today}
		if _, err := f.gather(ctx, companies, known, found, asked.CUI); err != nil {
			return nil, err
		}

		outcome, findings := Judge(&f)
		short := &company.Verdict{Outcome: outcome, Failed: []string{}, Unknown: []string{}, Reasons: []string{}}
		for i := range findings {
			found := &findings[i]
			switch {
			case found.IsBad():
				short.Failed = append(short.Failed, string(found.ID))
			case found.Level == Stop && found.Result == Unknown:
				short.Unknown = append(short.Unknown, string(found.ID))
			case !found.IsBadToday():
				continue
			}
			if !slices.Contains(short.Reasons, string(*found.Reason)) {
				short.Reasons = append(short.Reasons, string(*found.Reason))
			}
		}

		return short, nil
	}
}

// gather adds what is known about a company on the day, given what Companies returned for it. An error is a problem.
func (f *Facts) gather(ctx context.Context, companies company.Companies, known company.History, found company.Found,
	cui ro.CUI) (s company.Supplier, err error) {
	s, err = known.Supplier(ctx, found, cui, f.Day, f.KnownAt)
	if err != nil {
		return s, company.HistoryProblem(ctx, cui, err)
	}

	f.addProfile(s.Profile.Value, s.Release)
	f.Past = s.Past
	f.Tax.HasAnswered = s.TaxErr == nil || errors.Is(s.TaxErr, op.ErrUnknown)
	f.Tax.IsListing = s.TaxErr == nil
	if s.Status != nil {
		f.Then, f.Now = &s.Status.StatusesOnDay, s.Status.Now
	}
	if f.Company != nil {
		f.Insolvency = companies.Insolvency(ctx, f.Company)
		f.Filings, _ = companies.Filings(ctx, cui, f.Company.LastDueYear(f.Day))
	}

	return s, nil
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
