package company

import (
	"context"
	"slices"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type searchCompaniesInput struct {
	companyFilter
	Limit  op.Limit  `arg:"limit" default:"25" doc:"Page size, 1 to 100."`
	Offset op.Offset `arg:"offset" default:"0" doc:"Matches to skip."`
	companySort
}

// companyFilter chooses companies of the trade register.
type companyFilter struct {
	Q           op.Text              `arg:"q" doc:"Name or part of it, ignoring diacritics, case and legal form, and a town or county after it; or a CUI or trade register number." example:"exemplu"`
	County      reference.CountyRef  `arg:"county" doc:"County by name, plate code or number." example:"CJ"`
	City        op.Text              `arg:"city" doc:"Name of the place." example:"Cluj-Napoca"`
	NACECode    NACECode             `arg:"naceCode" doc:"CAEN activity of 4 digits. For a Rev.2 code that Rev.3 dropped, naceCodeReplacedBy has its successors." example:"6210"`
	IndustryID  IndustryID           `arg:"industryId" doc:"CAEN section (a letter), division (2 digits) or group (3 digits)." example:"K"`
	State       op.List[StateFilter] `arg:"state" doc:"States in the trade register, separated by commas." example:"in_operation,insolvent"`
	SeatExpired ro.YesNo             `arg:"seatExpired" doc:"The right to use the registered office has expired." example:"true"`
	VATPayer    ro.YesNo             `arg:"vatPayer" doc:"Registered for VAT. Companies never checked match neither: see notObserved." example:"true"`
	Inactive    ro.YesNo             `arg:"inactive" doc:"Declared fiscally inactive." example:"false"`
	EInvoice    ro.YesNo             `arg:"eInvoice" doc:"In the RO e-Factura register." example:"true"`

	TurnoverMin  FigureBound     `arg:"turnoverMin" doc:"Least net turnover in statementsYear, in RON." example:"1000000"`
	TurnoverMax  FigureBound     `arg:"turnoverMax" doc:"Most." example:"5000000"`
	NetResultMin FigureBound     `arg:"netResultMin" doc:"Least net profit; a loss is negative." example:"0"`
	NetResultMax FigureBound     `arg:"netResultMax" doc:"Most." example:"500000"`
	EmployeesMin CountBound      `arg:"employeesMin" doc:"Least number of employees." example:"10"`
	EmployeesMax CountBound      `arg:"employeesMax" doc:"Most." example:"49"`
	Statement    StatementFilter `arg:"statement" doc:"Statement of statementsYear; not_in_published_files if others were filed before."`
}

// companySort is the order of the chosen companies.
type companySort struct {
	SortBy        SortBy        `arg:"sortBy" doc:"Default: relevance with q, else name."`
	SortDirection SortDirection `arg:"sortDirection" default:"asc" doc:"Ascending or descending."`
}

// Page is a page of matching companies.
type Page struct {
	TotalCount  int                  `json:"totalCount" doc:"Match count."`
	NotObserved *int                 `json:"notObserved" brief:"Companies never checked for vatPayer, inactive or eInvoice: may match." doc:"Companies that match all filters but vatPayer, inactive and eInvoice, and that this gateway has never checked: they may match. null without any of the three filters."`
	Limit       int                  `json:"limit" doc:"Page size applied."`
	Offset      int                  `json:"offset" doc:"Offset applied."`
	TookMs      int                  `json:"tookMs" doc:"How long the search took, in milliseconds."`
	ReplacedBy  []reference.CAENCode `json:"naceCodeReplacedBy,omitempty" doc:"Only for a naceCode of Rev.2 that Rev.3 dropped: the Rev.3 codes that replace it. The items are the companies that the register still lists under the old code."`
	// StatementsYear is nil for a search without figures.
	StatementsYear *int `json:"statementsYear" doc:"Year of the statements that turnover, netResult, employees and statement are about: the newest whose files are here. null without them in the search."`

	DataThrough *ro.Date  `json:"dataThrough" doc:"Date of the trade register release that was searched."`
	Items       []Summary `json:"items" doc:"The companies on this page."`
}

// SchemaName is the type's name in the API description.
func (Page) SchemaName() string { return "CompanyPage" }

// Summary is a company in a page of a search.
type Summary struct {
	TaxID             *ro.CUI           `json:"taxId" doc:"The CUI; null for a company that the trade register lists without one: it has no profile and comes last."`
	Name              string            `json:"name" doc:"Registered name."`
	CompanyType       *string           `json:"companyType" doc:"Abbreviation of the legal form."`
	TradeNumber       *string           `json:"tradeNumber" doc:"Trade register number."`
	County            *string           `json:"county" doc:"County of the registered office."`
	City              *string           `json:"city" doc:"Place of the registered office."`
	MainNACECode      *string           `json:"mainNaceCode" doc:"Main CAEN activity, if known."`
	RegistrationDate  *ro.Date          `json:"registrationDate" doc:"Day of registration."`
	StateRegistration StateRegistration `json:"stateRegistration" doc:"State of the company."`
	Address           *string           `json:"address" doc:"Address on one line."`
	VATPayer          *bool             `json:"vatPayer" doc:"Registered for VAT, if known."`
	Phone             *string           `json:"phone" doc:"Telephone, if known."`
	Website           *string           `json:"website" doc:"Website."`
	Turnover          *int64            `json:"turnover,omitempty" doc:"Net turnover in whole RON, in a search with figures; absent if not stated."`
	NetResult         *int64            `json:"netResult,omitempty" doc:"Net profit in whole RON, negative for a loss, likewise."`
	Employees         *int64            `json:"employees,omitempty" doc:"Average number of employees, likewise."`
	StatusDate        *ro.Date          `json:"statusDate,omitempty" doc:"Day to which vatPayer applies; only for batch items with a date."`

	// Inactive reports whether the tax authority declared the company inactive; nil if unknown.
	Inactive *bool `json:"-"`
	// Secondary reports that the trade register has a better entry with the same number, which the profile has.
	Secondary bool `json:"-"`
}

// SchemaName is the type's name in the API description.
func (Summary) SchemaName() string { return "CompanySummary" }

// Search returns the operation search_companies.
func Search(register TradeRegister, places reference.Gazetteer,
	activities reference.Classification) *op.Operation {
	search := op.Define(op.Spec{
		Name: "search_companies", Method: "GET", Path: "/v1/companies", Tag: tag.Companies, TextNumbers: true,
		Title: "Search Romanian companies by name, place and activity",
		Description: "Searches the Romanian trade register (ONRC) by name, place, CAEN activity, state, the tax " +
			"authority's statuses for VAT, inactivity and RO e-Factura, and figures. Use it to find a company's CUI by name, or " +
			"to list the companies in a place or activity; use get_company instead if the CUI is known. Costs 1 " +
			"credit; free without a key, limited by IP address. The data is the register's latest monthly release. " +
			"An empty items list means that nothing matches.",
		Tool: true, OpenWorld: true, Cost: 1, Entitlement: metering.CompaniesSearch,
		Errors: []*problem.Kind{problem.NotFound, problem.UpstreamError, problem.Unavailable, problem.UpstreamTimeout},
	}, func(ctx context.Context, _ account.Caller, in searchCompaniesInput) (op.Answer[Page], error) {
		start := time.Now()
		query, err := in.query(places, activities, in.companySort)
		if err != nil {
			return op.Answer[Page]{}, err
		}

		query.Limit, query.Offset, query.WithFigures = in.Limit, in.Offset, query.NeedsFigures(query.Sort)
		found, err := register.Search(ctx, query)
		if err != nil {
			return op.Answer[Page]{}, err
		}

		page := Page{
			TotalCount: found.Total, NotObserved: found.NotObserved, Limit: int(in.Limit), Offset: int(in.Offset),
			TookMs: int(time.Since(start).Milliseconds()), DataThrough: &found.Through, Items: found.Items,
			StatementsYear: found.StatementsYear,
			ReplacedBy:     reference.SuccessorCodes(activities, reference.CAENCode(in.NACECode)),
		}

		return op.Answer[Page]{Value: page, Freshness: op.Freshness{Cache: op.Hit, MaxAge: 5 * time.Minute}}, nil
	})
	return search.WithExport(exportCompanies(register, places, activities))
}

// query returns the query without limit and offset.
func (in *companyFilter) query(places reference.Gazetteer, activities reference.Classification,
	order companySort) (Query, error) {
	query := Query{
		Text: string(in.Q), Class: in.NACECode, Industry: in.IndustryID,
		SeatExpired: in.SeatExpired, VATPayer: in.VATPayer, Inactive: in.Inactive, EInvoice: in.EInvoice,
		Sort: order.SortBy, Direction: order.SortDirection,
	}
	query.Statement = StatementStateName(in.Statement)
	if err := in.setRanges(&query); err != nil {
		return Query{}, err
	}

	for _, state := range in.State {
		query.States = append(query.States, StateRegistration(state))
	}

	if in.County != "" {
		county, err := reference.CountyOf(places, in.County)
		if err != nil {
			return Query{}, err
		}

		query.County = county
	}

	if in.City != "" {
		town, err := reference.TownOf(places, query.County, in.City)
		if err != nil {
			return Query{}, err
		}

		query.City = town
	}

	return query, reference.CheckActivity(activities, "industryId", reference.CAENCode(in.IndustryID), acceptedIndustry,
		"division or group")
}

// setRanges sets the ranges of figures.
func (in *companyFilter) setRanges(query *Query) (err error) {
	for figure, bounds := range [FigureCount][2]FigureBound{
		TurnoverFigure:  {in.TurnoverMin, in.TurnoverMax},
		NetResultFigure: {in.NetResultMin, in.NetResultMax},
		EmployeesFigure: {in.EmployeesMin.FigureBound, in.EmployeesMax.FigureBound},
	} {
		name := string(figureSortings[figure])
		if query.Ranges[figure], err = figureRange(name+"Min", name+"Max", bounds[0], bounds[1]); err != nil {
			return err
		}
	}

	return nil
}

// StateFilter is a state of a company to search for.
type StateFilter StateRegistration

// UnmarshalText parses one of the states.
func (s *StateFilter) UnmarshalText(text []byte) error {
	name, err := op.OneOf(text, s.Schema().Enum...)
	*s = StateFilter(name)
	return err
}

// Schema lists the states.
func (StateFilter) Schema() jsonschema.Schema { return StateRegistration.Schema("") }

// NACECode is a CAEN class: exactly four digits.
type NACECode string

// UnmarshalText parses four digits.
func (c *NACECode) UnmarshalText(text []byte) error {
	text = reference.WithoutDot(text)
	if len(text) != 4 || !spelling.OnlyDigits(text) {
		return &problem.InputError{Code: problem.InvalidFormat, Accepted: "exactly 4 digits, such as 6210"}
	}

	*c = NACECode(text)
	return nil
}

// Schema describes the format of the code.
func (NACECode) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: `^\d{4}$`}
}

// IndustryID is a CAEN section, division or group.
type IndustryID string

const acceptedIndustry = "a CAEN section (a letter from A to V), a division (2 digits) or a group (3 digits)"

// UnmarshalText parses a letter from A to V, in any case, or two or three digits.
func (i *IndustryID) UnmarshalText(text []byte) error {
	text = reference.WithoutDot(text)
	switch {
	case (len(text) == 2 || len(text) == 3) && spelling.OnlyDigits(text):
		*i = IndustryID(text)
	case len(text) == 1 && text[0]|0x20 >= 'a' && text[0]|0x20 <= 'v':
		*i = IndustryID(text[0] &^ 0x20)
	default:
		return &problem.InputError{Code: problem.InvalidFormat, Accepted: acceptedIndustry}
	}

	return nil
}

// Schema describes the format of the id.
func (IndustryID) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: `^([A-Va-v]|\d{2,3})$`}
}

// SortBy is a sort key for companies.
type SortBy string

// UnmarshalText parses one of the sort keys.
func (s *SortBy) UnmarshalText(text []byte) (err error) {
	*s, err = op.OneOf(text, sortings...)
	return err
}

// figureSortings are the sort keys by figure.
var figureSortings = [FigureCount]SortBy{"turnover", "netResult", "employees"}

var sortings = append([]SortBy{"relevance", "name", "registrationDate", "taxId"}, figureSortings[:]...)

// Figure returns the figure of a sort key, and reports whether it has one.
func (s SortBy) Figure() (Figure, bool) {
	figure := slices.Index(figureSortings[:], s)
	return Figure(figure), figure >= 0
}

// Schema lists the sort keys.
func (SortBy) Schema() jsonschema.Schema { return jsonschema.Enum(sortings...) }

// SortDirection is asc or desc.
type SortDirection string

// UnmarshalText parses asc or desc.
func (s *SortDirection) UnmarshalText(text []byte) (err error) {
	*s, err = op.OneOf[SortDirection](text, "asc", "desc")
	return err
}

// Schema lists the directions.
func (SortDirection) Schema() jsonschema.Schema { return jsonschema.Enum("asc", "desc") }
