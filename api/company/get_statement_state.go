package company

import (
	"cmp"
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type getStatementStateInput struct {
	CUI  ro.CUI        `arg:"cui" in:"path" doc:"Company tax id (CUI): 2 to 10 digits, without RO." example:"14399840"`
	Year FinancialYear `arg:"year" doc:"Financial year, from 2009 to the current one; default the newest whose statement was due." example:"2025"`
}

// GetStatementState returns the operation get_statement_state.
func GetStatementState(companies Companies) *op.Operation {
	return op.Define(op.Spec{
		Name: "get_statement_state", Method: "GET", Path: "/v1/companies/{cui}/statements", Tag: tag.Companies,
		Title: "Get whether a Romanian company filed its yearly statement",
		Description: "Whether the yearly financial statement of a Romanian company is known to be filed, from the " +
			"Ministry of Finance's files since 2009 and, if these lack it, the tax authority's service: state, " +
			"reason, the day on which it was due, and the end of the five months that the law names. Use it for " +
			"what was filed and when it was due; use get_company with include=balanceSheets instead for the " +
			"figures. Absence from the files does not show that nothing was filed: see caveats. Costs 1 credit, " +
			"nothing for files_not_loaded, year_refused and tax_authority_unreachable; free without a key, limited " +
			"by IP address. The profile behind it is at most a day old, the files are yearly. A number unknown to " +
			"every register returns 404.",
		Tool: true, OpenWorld: true, Cost: 1, Entitlement: metering.CompaniesRead,
		Errors: []*problem.Kind{problem.NotFound, problem.UpstreamError, problem.Unavailable, problem.UpstreamTimeout},
	}, func(ctx context.Context, _ account.Caller, in getStatementStateInput) (op.Answer[*StatementState], error) {
		profile, err := knownCompany(ctx, companies, ro.CompanyDay{CUI: in.CUI})
		answer := op.Answer[*StatementState]{Freshness: profile.Freshness}
		if err != nil {
			return answer, err
		}

		c, today := profile.Value, ro.Today()
		filings, err := companies.Filings(ctx, in.CUI, cmp.Or(int(in.Year), c.LastDueYear(today)))
		if err != nil {
			return answer, err
		}

		answer.Value = c.StatementState(filings, today)
		if s := answer.Value.State; s == StatementFiled || s == StatementNotRequired {
			return answer, nil
		}

		if err := filings.Request(ctx, companies, in.CUI); err != nil {
			return answer, err
		}
		if filings.Requested {
			answer.Cache = op.Miss
		}

		answer.Value = c.StatementState(filings, today)
		answer.Free = answer.Value.Reason.isOurs()
		return answer, nil
	})
}
