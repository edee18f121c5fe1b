package company

import (
	"context"
	"slices"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/ro"
)

// Include is a part that can be embedded in a profile.
type Include string

// The parts that can be embedded.
const (
	IncludeBalanceSheets        Include = "balanceSheets"
	IncludeLegalRepresentatives Include = "legalRepresentatives"
	IncludeRegisters            Include = "registers"
	IncludeInsolvency           Include = "insolvency"
	IncludeVerdict              Include = "verdict"
)

// Includes are all parts.
var Includes = []Include{
	IncludeBalanceSheets, IncludeLegalRepresentatives, IncludeRegisters, IncludeInsolvency,
	IncludeVerdict,
}

// UnmarshalText parses the name of a part.
func (i *Include) UnmarshalText(text []byte) (err error) {
	*i, err = op.OneOf(text, Includes...)
	return err
}

// Schema lists the names.
func (Include) Schema() jsonschema.Schema { return jsonschema.Enum(Includes...) }

// embedding embeds parts in profiles.
type embedding struct {
	companies Companies
	registers TaxRegisters
	judge     Judge
	persons   bool // the caller may read names of persons
}

// embed adds the requested parts to the profile.
func (e *embedding) embed(ctx context.Context, in *getCompanyInput, answer op.Answer[*Company]) (op.Answer[*Company],
	error) {
	asked := ro.CompanyDay{CUI: in.CUI, Day: in.Date}
	answer, err := e.listed(ctx, in.Include.Has, asked, answer)
	if err != nil {
		return answer, err
	}

	if in.Include.Has(IncludeRegisters) {
		answer = withRegisters(answer, e.registers.Registers(ctx, []ro.CompanyDay{asked}, registersPatience)[0])
	}

	if in.Include.Has(IncludeBalanceSheets) {
		sheets, missing, hit, err := e.companies.BalanceSheets(ctx, in.CUI, in.Years)
		if err != nil {
			return op.Answer[*Company]{}, err
		}

		source := sheetSource(sheets, hit)
		if source.Missing = missing; !hit {
			answer.Cache = op.Miss
		}

		answer.Value.BalanceSheets = sheets
		answer.Value.Filings, _ = e.companies.Filings(ctx, in.CUI, answer.Value.LastDueYear(ro.Today()))
		answer.Value.Sources = append(slices.Clip(answer.Value.Sources), source)
	}

	return answer, nil
}

// listed adds the requested parts from the trade register, and the verdict, to a copy of the profile. It queries no
// registry.
func (e *embedding) listed(ctx context.Context, has func(Include) bool, asked ro.CompanyDay,
	answer op.Answer[*Company]) (op.Answer[*Company], error) {
	company := *answer.Value
	if has(IncludeVerdict) {
		verdict, err := e.judge(ctx, Found{Answer: answer}, asked)
		if err != nil {
			return op.Answer[*Company]{}, err
		}

		company.Verdict = verdict
	}

	answer.Value, answer.Document = &company, nil
	if has(IncludeInsolvency) {
		company.Insolvency = e.companies.Insolvency(ctx, &company)
		if !e.persons {
			company.Insolvency.Representatives = nil
		}
	}

	if has(IncludeLegalRepresentatives) {
		all, err := e.companies.LegalRepresentatives(ctx, company.TaxID)
		if err != nil {
			return op.Answer[*Company]{}, err
		}

		company.LegalRepresentatives = all
	}

	return answer, nil
}

// withRegisters adds the registers' data to a copy of the profile.
func withRegisters(answer op.Answer[*Company], registers op.Answer[*Registers]) op.Answer[*Company] {
	company := answer.Value
	company.Registers = registers.Value
	company.Sources = slices.Concat(company.Sources, registers.Value.Sources)
	answer.Freshness = answer.Freshness.With(registers.Freshness)
	return answer
}
