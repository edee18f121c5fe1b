package vat

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/internal/panics"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type checkVATNumberInput struct {
	ID        ro.VATNumber `arg:"id" in:"path" doc:"The VAT number with its member state code (EL or GR for Greece, XI for Northern Ireland)." example:"DE811569869"`
	Requester Requester    `arg:"requester" doc:"The requester's own VAT number, for a consultation number and a receipt; none to send no requester. Default: the VAT number on the account's invoices, if any." example:"RO14399840"`
}

// Identities looks up the VAT numbers of accounts.
type Identities interface {
	// VATNumberOf returns the VAT number in the account's latest invoice; empty if there is none, or if it is
	// malformed.
	VATNumberOf(ctx context.Context, account string) ro.VATNumber
}

// Desk has the dependencies of operations on VAT numbers.
type Desk struct {
	Numbers Numbers
	// Companies is the tax authority's register, which is also queried about Romanian numbers.
	Companies company.Companies
	// Identities are the default requesters; nil for none.
	Identities Identities
	Receipts   proof.Receipts
}

// Check returns the operation check_vat_number.
func Check(desk Desk) *op.Operation {
	return op.Define(op.Spec{
		Name: "check_vat_number", Method: "GET", Path: "/v1/vat-numbers/{id}", Tag: tag.VATNumbers,
		Alternates: proof.Forms,
		Title:      "Check an EU VAT number",
		Description: "Whether a VAT number of a member state or Northern Ireland is valid in VIES, with the " +
			"published name and address. Use it before invoicing a customer in another member state without VAT; use " +
			"get_company instead for a Romanian company. The status is valid, invalid (also for numbers unknown to " +
			"VIES, not a 404), or unknown: the state could not be queried; lastKnown has its last answer. Unknown " +
			"never means invalid. Costs 1 credit, nothing if unknown; free without a key, limited by IP address. A " +
			"valid answer is at most a day old, or a week while its state is down; an invalid one an hour.",
		Tool: true, OpenWorld: true, Cost: 1, Entitlement: metering.CompaniesRead,
		Errors: []*problem.Kind{problem.UpstreamError, problem.Unavailable, problem.UpstreamTimeout},
	}, func(ctx context.Context, caller account.Caller, in checkVATNumberInput) (op.Answer[*VATCheck], error) {
		romanian := desk.startRomanian(ctx, in.ID)
		answer, err := desk.check(ctx, &caller, in.ID, in.Requester)
		if err != nil {
			return answer, vatProblem("id", in.ID, in.Requester, err)
		}

		answer = desk.certified(ctx, withRomanian(answer, romanian(ctx)))
		answer.Free = answer.Value.Status == Unknown
		return answer, nil
	})
}

// check requests the validity of one number. If VIES rejects the account's own number as the requester, it queries
// again without a requester.
func (d *Desk) check(ctx context.Context, caller *account.Caller, number ro.VATNumber,
	named Requester) (op.Answer[*VATCheck], error) {
	requester, own := d.requester(ctx, caller, named)
	answer, err := d.Numbers.Check(ctx, Question{number, requester})
	if own && errors.Is(err, ErrRequesterRefused) {
		return d.Numbers.Check(ctx, Question{Number: number})
	}

	return answer, err
}

// requester returns the requester's number, and whether it is the account's own default.
func (d *Desk) requester(ctx context.Context, caller *account.Caller,
	named Requester) (number ro.VATNumber, own bool) {
	switch {
	case named == noRequester:
		return "", false
	case named != "":
		return ro.VATNumber(named), false
	case d.Identities == nil || caller.Account() == "":
		return "", false
	}

	number = d.Identities.VATNumberOf(ctx, caller.Account())
	return number, number != ""
}

// vatProblem is the problem for a number or requester that VIES rejects.
func vatProblem(parameter string, number ro.VATNumber, requester Requester, err error) error {
	switch {
	case errors.Is(err, ErrNumberRefused):
		return problem.Invalid(&problem.InputError{
			Parameter: parameter, Code: problem.InvalidFormat, Received: problem.Excerpt(string(number)),
			Accepted: vatNumberForm,
			Reason:   "it is well formed, but VIES rejects it; check it with the trader",
		})
	case errors.Is(err, ErrRequesterRefused):
		return problem.Invalid(&problem.InputError{
			Parameter: "requester", Code: problem.NoSuchValue, Received: problem.Excerpt(string(requester)),
			Accepted: "a VAT number that is valid in VIES, or none",
			Reason: "it is not valid in VIES, which issues consultation numbers to registered traders only; " +
				"correct it, or send requester=none",
		})
	}

	return err
}

// maxRegisterWait is the maximum time that an answer waits for the tax authority after VIES has answered.
const maxRegisterWait = 3 * time.Second

// startRomanian starts querying the tax authority about a Romanian number. The returned function waits for the answer.
// It returns nil for numbers of other states, and if the tax authority cannot be queried.
func (d *Desk) startRomanian(ctx context.Context, number ro.VATNumber) func(context.Context) *romanianAnswer {
	cui := number.CUI()
	if cui == 0 {
		return func(context.Context) *romanianAnswer { return nil }
	}

	known := make(chan *romanianAnswer, 1)
	go func() {
		answer, err := d.company(ctx, cui)
		known <- romanianOf(answer, err)
	}()
	return func(ctx context.Context) *romanianAnswer {
		ctx, cancel := context.WithTimeout(ctx, maxRegisterWait)
		defer cancel()
		select {
		case answer := <-known:
			return answer
		case <-ctx.Done():
			return nil
		}
	}
}

// company queries the tax authority. It turns a panic into an error, because a panic in a goroutine ends the process.
func (d *Desk) company(ctx context.Context, cui ro.CUI) (_ op.Answer[*company.Company], err error) {
	defer panics.Recover(&err)
	return d.Companies.Company(ctx, ro.CompanyDay{CUI: cui})
}

// romanianAnswer is the tax authority's answer, with its source and freshness.
type romanianAnswer struct {
	RomanianRegister
	source company.Source
	fresh  op.Freshness
}

// romanianOf returns the tax authority's data about a company; nil if it could not be queried.
func romanianOf(answer op.Answer[*company.Company], err error) *romanianAnswer {
	switch {
	case errors.Is(err, op.ErrUnknown):
		at, day := answer.RetrievedAt.Truncate(time.Second), ro.DateIn(answer.RetrievedAt, ro.Bucharest)
		source := company.Source{Name: "anaf", RetrievedAt: &at, AsOf: &day, Cache: answer.Cache}
		return &romanianAnswer{RomanianRegister{AsOf: &day}, source, answer.Freshness}
	// Without a retrieval time, the profile comes from the trade register only.
	case err != nil || len(answer.Value.Sources) == 0 || answer.Value.Sources[0].RetrievedAt == nil:
		return nil
	}

	source := answer.Value.Sources[0]
	romanian := &romanianAnswer{RomanianRegister{AsOf: source.AsOf}, source, answer.Freshness}
	if !answer.Value.Unlisted {
		romanian.VATPayer = answer.Value.VATPayer
	}

	return romanian
}

// withRomanian adds the tax authority's data to an answer about a Romanian number. If the data is missing, it shortens
// the lifetime of the answer.
func withRomanian(answer op.Answer[*VATCheck], romanian *romanianAnswer) op.Answer[*VATCheck] {
	if romanian == nil {
		if answer.Value.VATNumber.CUI() != 0 {
			answer.MaxAge = 0
		}
		return answer
	}

	check := *answer.Value
	check.RomanianRegister = &romanian.RomanianRegister
	check.Sources = append(slices.Clip(check.Sources), romanian.source)
	answer.Freshness = answer.Freshness.With(romanian.fresh)
	answer.Value, answer.Document = &check, nil
	return answer
}
