package company

import (
	"context"
	"slices"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type compareCompanyInput struct {
	CUI   ro.CUI        `arg:"cui" in:"path" doc:"Company tax id (CUI): 2 to 10 digits, without RO." example:"14399840"`
	Year  FinancialYear `arg:"year" doc:"Financial year, from 2009 to the current one; default the newest with a statement of the company in the files." example:"2025"`
	Level PeerLevel     `arg:"level" default:"class" doc:"Level of the activity that the peers share."`
}

// Compare returns the operation compare_company.
func Compare(companies Companies) *op.Operation {
	return op.Define(op.Spec{
		Name: "compare_company", Method: "GET", Path: "/v1/companies/{cui}/peers", Tag: tag.Companies,
		Title: "Compare a Romanian company's yearly figures with its peers",
		Description: "Turnover, net result, employees and equity of a Romanian company for a year, with percentiles, " +
			"rank and number of the companies of the same activity, from the Ministry of Finance's files. Use it to " +
			"see whether a company is large or profitable for its sector; use get_company with " +
			"include=balanceSheets instead for the figures alone. Fewer than 30 peers are widened to the group, " +
			"then the division. Without peers, reason says why, as in get_statement_state. Costs 1 credit; free " +
			"without a key, limited by IP address. The profile behind it is at most a day old, the files are " +
			"yearly. A number unknown to every register returns 404.",
		Tool: true, OpenWorld: true, Cost: 1, Entitlement: metering.CompaniesRead,
		Errors: []*problem.Kind{problem.NotFound, problem.UpstreamError, problem.Unavailable, problem.UpstreamTimeout},
	}, func(ctx context.Context, _ account.Caller, in compareCompanyInput) (op.Answer[*Peers], error) {
		profile, err := knownCompany(ctx, companies, ro.CompanyDay{CUI: in.CUI})
		answer := op.Answer[*Peers]{Freshness: profile.Freshness}
		if err != nil {
			return answer, err
		}

		filings, err := in.filings(ctx, companies, profile.Value)
		if err != nil {
			return answer, err
		}

		answer.Value, err = profile.Value.peers(ctx, companies, filings, in.Level)
		return answer, err
	})
}

// filings returns what is known about the statement of the requested year: by default, the newest one in the files or,
// for a company that never filed, the one that was due last.
func (in *compareCompanyInput) filings(ctx context.Context, companies Companies, c *Company) (*Filings, error) {
	if in.Year != 0 {
		return companies.Filings(ctx, in.CUI, int(in.Year))
	}

	last := c.LastDueYear(ro.Today())
	filings, err := companies.Filings(ctx, in.CUI, last)
	if err != nil || len(filings.Years) == 0 || slices.Max(filings.Years) == last {
		return filings, err
	}
	return companies.Filings(ctx, in.CUI, slices.Max(filings.Years))
}

// peers compares the company's statement of a year with those of its peers.
func (c *Company) peers(ctx context.Context, companies Companies, f *Filings, level PeerLevel) (*Peers, error) {
	files := f.loaded()
	p := &Peers{TaxID: c.TaxID, Year: f.Year, Level: level, FilesAsOf: files.filesAsOf(),
		Sources: append(slices.Clip(c.Sources), files.Source())}
	if reason := c.noPeers(f, files); reason != "" {
		p.Reason = &reason
		return p, nil
	}

	p.CAENCode = f.Sheet.CAENCode
	comparisons := p.Figures()
	values := [...]*int64{f.Sheet.Turnover, f.Sheet.NetResult, f.Sheet.Employees, f.Sheet.Equity}
	for _, level := range peerLevels[slices.Index(peerLevels, level):] {
		code, isWidest := level.of(*p.CAENCode), level == PeerDivision
		figures, err := companies.PeerFigures(ctx, f.Year, code)
		if err != nil {
			return nil, err
		}

		tooFew := false
		for i, d := range figures.All() {
			switch {
			case comparisons[i].Level != nil:
			case len(*d) >= minPeers || isWidest:
				*comparisons[i] = d.compare(values[i], level, code)
			default:
				tooFew = true
			}
		}
		if !tooFew {
			break
		}
	}

	return p, nil
}

// noPeers returns why the company's statement of a year cannot be compared; empty if it can be.
func (c *Company) noPeers(f, files *Filings) NoPeersReason {
	if reason := files.MissingFiles(); f.Sheet != nil && reason != "" {
		return NoPeersReason(reason)
	}
	if f.Sheet == nil || f.Sheet.Form == BilantForm {
		_, reason := c.statementReason(f, c.statementDue(f.Year), ro.Today())
		return NoPeersReason(reason)
	}
	if f.Sheet.CAENCode == nil {
		return NoActivity
	}

	return ""
}

// loaded returns the year's files without the company's statement. Files that were loaded before newer ones were
// refused count as loaded.
func (f *Filings) loaded() *Filings {
	files := &Filings{Year: f.Year, Files: slices.Clone(f.Files)}
	for i, file := range files.Files {
		if file.AsOf != 0 {
			files.Files[i].Coverage = FileLoaded
		}
	}

	return files
}
