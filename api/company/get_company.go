package company

import (
	"context"
	"errors"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type getCompanyInput struct {
	CUI     ro.CUI           `arg:"cui" in:"path" doc:"Company tax id (CUI): 2 to 10 digits, without RO." example:"14399840"`
	Date    ro.Date          `arg:"date" doc:"Date of the statuses, such as an invoice date: 1993-07-01 to today; default today." example:"2025-03-31"`
	Include op.List[Include] `arg:"include" doc:"Parts to embed, separated by commas: balanceSheets (annual), registers (farmers, non-profits, RO e-Factura), insolvency (also dissolution and liquidation), verdict, legalRepresentatives (needs an account with a verified e-mail)." example:"balanceSheets"`
	Years   Years            `arg:"years" doc:"Years of balanceSheets, separated by commas, or all; default the last five filed." example:"2024,2025"`
}

// Get returns the operation get_company.
func Get(companies Companies, registers TaxRegisters, judge Judge) *op.Operation {
	profile := op.Define(op.Spec{
		Name: "get_company", Method: "GET", Path: "/v1/companies/{cui}", Tag: tag.Companies,
		Title: "Get a Romanian company by its tax id",
		Description: "Profile of one Romanian company, from the tax authority (ANAF) and the trade register (ONRC): " +
			"name, address, legal form, VAT registration and its periods, fiscal inactivity, e-Factura, main CAEN " +
			"activity, state; more with include. Use it when the CUI is known; use search_companies instead to find " +
			"a CUI by name. Costs 1 credit; free without a key, limited by IP address. Profiles are at most a day " +
			"old, or older when the registry is down: see sources for age and staleness. With date, vatPayer, " +
			"vatOnCollection, vatSplit, inactive and eInvoice apply to that day; the rest is as of today. A number " +
			"unknown to every register returns 404; null means that no register has it.",
		Tool: true, OpenWorld: true, Cost: 1, Entitlement: metering.CompaniesRead,
		Errors: []*problem.Kind{problem.Forbidden, problem.NotFound, problem.UpstreamError, problem.Unavailable,
			problem.UpstreamTimeout},
	}, func(ctx context.Context, caller account.Caller, in getCompanyInput) (op.Answer[*Company], error) {
		if in.Include.Has(IncludeLegalRepresentatives) {
			if err := mayReadPersons(&caller); err != nil {
				return op.Answer[*Company]{}, err
			}
		}

		if !in.Include.Has(IncludeBalanceSheets) && (in.Years.All || in.Years.Named != nil) {
			return op.Answer[*Company]{}, problem.Invalid(&problem.InputError{
				Parameter: "years", Code: problem.Conflict, Accepted: "only with include=balanceSheets",
				Reason: "it selects balance sheets, which were not requested; add include=balanceSheets, or leave " +
					"it out",
			})
		}

		if in.Date != 0 {
			if err := CheckStatusDay("date", in.Date); err != nil {
				return op.Answer[*Company]{}, err
			}
		}

		answer, err := knownCompany(ctx, companies, ro.CompanyDay{CUI: in.CUI, Day: in.Date})
		if err != nil || len(in.Include) == 0 {
			return answer, err
		}

		parts := embedding{companies: companies, registers: registers, judge: judge,
			persons: mayReadPersons(&caller) == nil}
		return parts.embed(ctx, &in, answer)
	})
	return profile.WithExport(GetValue(companies, registers, judge))
}

// knownCompany returns the profile of a company. A number unknown to every register is a problem.
func knownCompany(ctx context.Context, companies Companies, c ro.CompanyDay) (op.Answer[*Company], error) {
	answer, err := companies.Company(ctx, c)
	if errors.Is(err, op.ErrUnknown) {
		err = unknownCompany(c.CUI)
	}
	return answer, err
}

// unknownCompany is the problem of a number unknown to every register.
func unknownCompany(cui ro.CUI) *problem.Problem {
	return problem.NotFound.New("no register knows a company with the CUI %d; check the number, or search by name "+
		"with search_companies (GET /v1/companies?q=...)", cui)
}

// mayReadPersons rejects requests for names of persons by anonymous callers and unverified accounts, to prevent
// harvesting with throwaway accounts.
func mayReadPersons(caller *account.Caller) error {
	switch {
	case caller.Account() == "":
		return problem.Forbidden.New("legalRepresentatives contains names of persons and needs a key of an account " +
			"with a verified e-mail address; send one, or leave it out of include")
	case !caller.Accountable:
		return problem.Forbidden.New("legalRepresentatives contains names of persons, and this account has no " +
			"verified owner yet: verify its e-mail address (sign in, and ask for the link at /dashboard/account or " +
			"with POST /api/auth/send-verification-email), or take a paid plan (GET /v1/plans), or ask the operator of " +
			"this installation; or leave it out of include")
	}

	return nil
}
