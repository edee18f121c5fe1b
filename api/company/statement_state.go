package company

import (
	"slices"
	"strings"

	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/ro"
)

// StatementState says whether a company has filed its yearly statement, as far as public data tells.
type StatementState struct {
	TaxID           ro.CUI             `json:"taxId" doc:"The CUI."`
	Year            int                `json:"year" doc:"The financial year."`
	State           StatementStateName `json:"state" doc:"filed; not_in_published_files: a company that filed before has no statement for the year in the Ministry of Finance's files; not_required; or unknown."`
	Reason          StatementReason    `json:"reason" doc:"Why: for filed, in_files or at_tax_authority (only the tax authority's service has it); for not_in_published_files, filed_before; for not_required, natural_person, registered_later, struck_off_before or not_due; for unknown, never_filed (it may have had no activity since its founding), other_form (no trade number, or CAEN 64 to 66), in_proceedings, no_date (struck off on an unknown day), files_not_published, files_not_loaded, year_refused (the files were not understood) or tax_authority_unreachable."`
	DueOn           *ro.Date           `json:"dueOn" doc:"Last day for filing: 31 May of the next year for companies, 30 April for other legal persons, even if it is a day off; null if no statement is required."`
	FiveMonthsEndOn *ro.Date           `json:"fiveMonthsEndOn" doc:"Last day of the five months after dueOn that the law names; null where that law does not apply: for years before 2025, in proceedings, or without dueOn."`
	LastFiled       *int               `json:"lastFiled" doc:"Newest year up to this one with a known statement; null if there is none."`
	FilesAsOf       *ro.Date           `json:"filesAsOf" doc:"Date of the ministry's file of the year that has the statement; without one, of the oldest of its files of the year. Null if none is loaded."`
	Caveats         []StatementCaveat  `json:"caveats" doc:"What public data does not tell. later_filings_appear_with_the_reissue: files are published in June, and what is filed later appears up to a year later. other_financial_year_unknown: a company may have a financial year other than the calendar year."`
	Law             *string            `json:"law" doc:"Law behind fiveMonthsEndOn; null without it."`
	Sources         []Source           `json:"sources" doc:"One entry for each register that the answer uses."`
}

// StatementStateName is the state itself.
type StatementStateName string

// The states.
const (
	StatementFiled       StatementStateName = "filed"
	StatementNotInFiles  StatementStateName = "not_in_published_files"
	StatementNotRequired StatementStateName = "not_required"
	StatementUnknown     StatementStateName = "unknown"
)

// Schema lists the states.
func (StatementStateName) Schema() jsonschema.Schema {
	return jsonschema.Enum(StatementFiled, StatementNotInFiles, StatementNotRequired, StatementUnknown)
}

// StatementReason is the reason for a state.
type StatementReason string

// The reasons, by state.
const (
	InFiles        StatementReason = "in_files"
	AtTaxAuthority StatementReason = "at_tax_authority"

	FiledBefore StatementReason = "filed_before"

	NaturalPerson   StatementReason = "natural_person"
	RegisteredLater StatementReason = "registered_later"
	StruckOffBefore StatementReason = "struck_off_before"
	NotDue          StatementReason = "not_due"

	NeverFiled              StatementReason = "never_filed"
	OtherForm               StatementReason = "other_form"
	InProceedings           StatementReason = "in_proceedings"
	NoDate                  StatementReason = "no_date"
	FilesNotPublished       StatementReason = "files_not_published"
	FilesNotLoaded          StatementReason = "files_not_loaded"
	YearRefused             StatementReason = "year_refused"
	TaxAuthorityUnreachable StatementReason = "tax_authority_unreachable"
)

// Schema lists the reasons.
func (StatementReason) Schema() jsonschema.Schema {
	return jsonschema.Enum(InFiles, AtTaxAuthority, FiledBefore, NaturalPerson, RegisteredLater, StruckOffBefore,
		NotDue, NeverFiled, OtherForm, InProceedings, NoDate, FilesNotPublished, FilesNotLoaded, YearRefused,
		TaxAuthorityUnreachable)
}

// isOurs reports whether the state is unknown only because the gateway could not read the files or query the tax
// authority. As with every register that could not be queried, the caller does not pay for that.
func (r StatementReason) isOurs() bool {
	return r == FilesNotLoaded || r == YearRefused || r == TaxAuthorityUnreachable
}

// StatementCaveat is a reason why a statement that is not found may be filed all the same.
type StatementCaveat string

// The caveats.
const (
	LaterFilings  StatementCaveat = "later_filings_appear_with_the_reissue"
	OtherYearEnds StatementCaveat = "other_financial_year_unknown"
)

// Schema lists the caveats.
func (StatementCaveat) Schema() jsonschema.Schema {
	return jsonschema.Enum(LaterFilings, OtherYearEnds)
}

const (
	absenceLaw = "Law 207/2015 art. 92 (1^2) b)"
	// FirstAbsenceYear is the first financial year for which a missing statement has consequences under that law. The
	// tax authority applies Law 239/2025 to statements due from 2026 on (its notice of February 2026).
	FirstAbsenceYear = 2025
)

// proceedings are the states in which that law does not apply (art. 92 (1^1)). Whether it applies to
// an insolvent company depends on the type of the proceedings, which the registers do not publish.
var proceedings = []StateRegistration{Dissolved, InLiquidation, InReorganization, Insolvent, Bankrupt}

// StatementState derives the state on a day from what is known about the statement of a year. Its sources are those of
// the profile and of the statements.
func (c *Company) StatementState(f *Filings, day ro.Date) *StatementState {
	due := c.statementDue(f.Year)
	s := &StatementState{TaxID: c.TaxID, Year: f.Year, LastFiled: f.last(), FilesAsOf: f.filesAsOf(),
		Caveats: []StatementCaveat{}, Sources: append(slices.Clip(c.Sources), f.Source())}
	s.State, s.Reason = c.statementReason(f, due, day)
	if s.State == StatementNotRequired && s.Reason != NotDue {
		return s
	}

	s.DueOn = &due
	if f.Year >= FirstAbsenceYear && s.Reason != InProceedings {
		end := ro.NewDate(due.Year(), due.UTC().Month()+6, 0) // the last day of the fifth month
		s.FiveMonthsEndOn, s.Law = &end, new(absenceLaw)
	}

	if s.Reason == FiledBefore || s.Reason == NeverFiled {
		s.Caveats = append(s.Caveats, LaterFilings)
	}
	if s.State != StatementFiled {
		s.Caveats = append(s.Caveats, OtherYearEnds)
	}

	return s
}

func (c *Company) statementReason(f *Filings, due, day ro.Date) (StatementStateName, StatementReason) {
	off, isStruckOff := c.StruckOffOn()
	switch {
	case f.Sheet != nil && f.Sheet.Form == BilantForm:
		return StatementFiled, AtTaxAuthority
	case f.Sheet != nil:
		return StatementFiled, InFiles
	case c.IsPersonsBusiness():
		return StatementNotRequired, NaturalPerson
	case c.RegistrationDate != nil && c.RegistrationDate.Year() > f.Year:
		return StatementNotRequired, RegisteredLater
	case off != nil && *off <= due:
		return StatementNotRequired, StruckOffBefore
	case due >= day:
		return StatementNotRequired, NotDue
	case isStruckOff && off == nil:
		return StatementUnknown, NoDate
	case c.filesOtherForm():
		return StatementUnknown, OtherForm
	case slices.Contains(proceedings, c.StateRegistration):
		return StatementUnknown, InProceedings
	}

	reason := f.MissingFiles()
	switch {
	case reason != "":
		return StatementUnknown, reason
	case f.last() == nil:
		return StatementUnknown, NeverFiled
	case f.Unreachable:
		return StatementUnknown, TaxAuthorityUnreachable
	}

	return StatementNotInFiles, FiledBefore
}

// LastDueYear returns the newest year whose statement was due before a day.
func (c *Company) LastDueYear(day ro.Date) int {
	year := day.Year() - 1
	if c.statementDue(year) >= day {
		year--
	}
	return year
}

// statementDue returns the last day for filing (Law 82/1991 art. 36): 150 days after the year for companies, 120 for
// other legal persons. The tax authority counts them as the end of a month.
func (c *Company) statementDue(year int) ro.Date {
	if c.TradeNumber != nil && strings.HasPrefix(*c.TradeNumber, "J") {
		return ro.NewDate(year+1, 5, 31)
	}
	return ro.NewDate(year+1, 4, 30)
}

// IsPersonsBusiness reports whether this is the business of a natural person, such as a PFA, which files no statements.
// Its number in the trade register begins with F: F12/345/2020.
func (c *Company) IsPersonsBusiness() bool {
	return c.TradeNumber != nil && strings.HasPrefix(*c.TradeNumber, "F") ||
		c.CompanyType != nil && slices.Contains([]string{"PFA", "PF", "II", "IF"}, *c.CompanyType) ||
		c.OrganizationForm != nil && strings.HasPrefix(*c.OrganizationForm, "PERSOANA FIZICA")
}

// filesOtherForm reports whether the company may file a form that the ministry's files here lack: that of associations,
// banks, insurers and funds.
func (c *Company) filesOtherForm() bool {
	return c.TradeNumber == nil || c.MainNACECode != nil && len(*c.MainNACECode) == 4 &&
		slices.Contains([]string{"64", "65", "66"}, (*c.MainNACECode)[:2])
}
