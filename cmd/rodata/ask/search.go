package ask

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/rodata/rodata/client"
)

// searchQuestion holds the arguments of "rodata search".
type searchQuestion struct {
	client.Search
	states []string
	all    bool
}

func searchCommand() *cobra.Command {
	var search searchQuestion
	q := question{
		use: "search [<words>...]", short: "Finds companies by name, place and activity",
		long: `
Finds companies in the trade register by name, in part or whole, and by county, place,
CAEN activity, state and figures in the newest yearly statements. --vat, --inactive and --efactura select by the tax authority's
answers; companies that this gateway has never checked match neither yes nor no, and
their number is shown.

A page costs 1 credit with a key. --csv --all writes every match instead, at 1 credit
per 100 companies.`,
		examples: `  rodata search exemplu transilvan
  rodata search --county CJ --caen 6210 --limit 50 --csv
  rodata search --county CJ --caen 6210 --csv --all > companies.csv
  rodata search --county CJ --turnover-min 1000000 --sort turnover --descending`,
		run: func(ctx context.Context, s *session, args []string) error {
			if err := search.check(args, s.form); err != nil {
				return err
			}
			if search.all {
				return s.export(ctx, search.Search)
			}

			return s.search(ctx, search.Search)
		},
	}

	cmd := q.command()
	search.addFlags(cmd)
	completeWith(cmd, "county", counties())
	complete(cmd, "state", []string{
		string(client.InOperation), string(client.Suspended), string(client.Dissolved), string(client.InLiquidation),
		string(client.InReorganization), string(client.Insolvent), string(client.Bankrupt), string(client.StruckOff),
		string(client.UnknownState),
	})
	complete(cmd, "sort", []string{"relevance", "name", "registrationDate", "taxId", "turnover", "netResult",
		"employees"})
	complete(cmd, "statement", []string{"filed", "not_in_published_files"})
	return cmd
}

func (q *searchQuestion) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&q.County, "county", "", "County: name, plate code or number")
	flags.StringVar(&q.City, "city", "", "Name of the place")
	flags.StringVar(&q.NACECode, "caen", "", "CAEN Rev.3 class, 4 digits")
	flags.StringVar(&q.Industry, "industry", "", "CAEN section (a letter), division (2 digits) or group (3 digits)")
	flags.StringSliceVar(&q.states, "state", nil,
		"States in the trade register, separated by commas: in_operation, insolvent, ...")
	choiceFlag(cmd, &q.SeatExpired, "seat-expired", "Right to use the registered office expired: yes or no")
	choiceFlag(cmd, &q.VATPayer, "vat", "Registered for VAT: yes or no")
	choiceFlag(cmd, &q.Inactive, "inactive", "Declared inactive: yes or no")
	choiceFlag(cmd, &q.EInvoice, "efactura", "In the RO e-Factura register: yes or no")
	numberFlag(cmd, &q.TurnoverMin, "turnover-min", "Least net turnover in RON")
	numberFlag(cmd, &q.TurnoverMax, "turnover-max", "Most net turnover in RON")
	numberFlag(cmd, &q.NetResultMin, "result-min", "Least net profit in RON; losses are negative")
	numberFlag(cmd, &q.NetResultMax, "result-max", "Most net profit in RON")
	numberFlag(cmd, &q.EmployeesMin, "employees-min", "Least average number of employees")
	numberFlag(cmd, &q.EmployeesMax, "employees-max", "Most average number of employees")
	flags.StringVar(&q.Statement, "statement", "",
		"Yearly statement in the newest published files: filed or not_in_published_files")
	flags.IntVar(&q.Limit, "limit", 25, "Maximum number of companies to show, 1 to 100")
	flags.IntVar(&q.Offset, "offset", 0, "Number of matches to skip")
	flags.BoolVar(&q.all, "all", false, "With --csv: write every match, not a page")
	flags.StringVar(&q.SortBy, "sort", "",
		"Order: relevance, name, registrationDate, taxId, turnover, netResult or employees")
	flags.BoolVar(&q.Descending, "descending", false, "Reverse the order")
}

// check parses the arguments and the flags.
func (q *searchQuestion) check(args []string, form form) error {
	q.Text = strings.Join(args, " ")
	switch {
	case len(args) > 0 && strings.TrimSpace(q.Text) == "":
		return WrongUsage("the words to search for are empty: leave them out to search by --county, --caen and others only")
	case q.all && form != asCSV:
		return WrongUsage("--all needs --csv, as in: rodata search --county CJ --csv --all")
	}

	if err := checkLimit(q.Limit); err != nil {
		return err
	}

	for _, state := range q.states {
		q.States = append(q.States, client.State(state))
	}

	return nil
}

func (s *session) search(ctx context.Context, search client.Search) error {
	page, err := s.SearchCompanies(ctx, search)
	if err != nil {
		return err
	}

	switch s.form {
	case asJSON:
		err = printJSON(s.out, page)
	case asCSV:
		err = s.pageCSV(page)
		if shown := page.Offset + len(page.Items); shown < page.TotalCount {
			s.say("These are %s of %s matches; --all writes every one", humanize.Comma(int64(len(page.Items))),
				humanize.Comma(int64(page.TotalCount)))
		}
	default:
		err = s.pageTable(page)
	}

	if err == nil && len(page.Items) == 0 {
		return fail(exitNotFound, "no company matches%s%s; try fewer words or filters", passedOver(page),
			unobservedClause(page))
	}

	return err
}

// export prints all companies that match.
func (s *session) export(ctx context.Context, search client.Search) error {
	rows, err := s.ExportCompanies(ctx, search, s.out)
	if err == nil && rows == 0 {
		return fail(exitNotFound, "no company matches; try fewer words or filters")
	}
	return err
}

func passedOver(page *client.CompanyPage) string {
	if page.Offset == 0 {
		return ""
	}
	return fmt.Sprintf(" beyond the first %d", page.Offset)
}

func (s *session) pageCSV(page *client.CompanyPage) error {
	return printFields(s.out, page.Items, "taxId", "name", "companyType", "tradeNumber", "county", "city",
		"mainNaceCode", "registrationDate", "stateRegistration", "address", "vatPayer", "phone", "website", "turnover",
		"netResult", "employees")
}

func (s *session) pageTable(page *client.CompanyPage) error {
	if len(page.Items) == 0 {
		return nil
	}

	t := grid{head: []string{"TAX ID", "NAME", "STATE", "VAT", "COUNTY", "CITY", "CAEN", "REGISTERED"}}
	if page.StatementsYear != nil {
		t.head = append(t.head, "TURNOVER", "NET RESULT", "EMPLOYEES")
	}
	for _, c := range page.Items {
		row := []cell{
			{text: text(c.TaxID)}, {c.Name, strong}, stateCell(c.StateRegistration), yesNo(c.VATPayer, nil),
			{text: text(c.County)}, {text: text(c.City)}, {text: text(c.MainNACECode)},
			{text: text(c.RegistrationDate)}, {text: text(c.Turnover)}, {text: text(c.NetResult)},
			{text: text(c.Employees)},
		}
		t.add(row[:len(t.head)]...)
	}

	if err := t.print(s.out, s.colours); err != nil {
		return err
	}

	shown := page.Offset + len(page.Items)
	footer := fmt.Sprintf("%s of %s", humanize.Comma(int64(shown)), humanize.Comma(int64(page.TotalCount)))
	if shown < page.TotalCount {
		footer += fmt.Sprintf("; --offset %d shows more", shown)
	}
	if page.DataThrough != nil {
		footer += "; trade register of " + page.DataThrough.String()
	}
	if page.StatementsYear != nil {
		footer += fmt.Sprintf("; statements of %d", *page.StatementsYear)
	}

	fmt.Fprintln(s.out, "\n"+paint(footer+unobservedClause(page), quiet, s.colours))
	return nil
}

// unobservedClause returns a clause with the number of companies that may also match, but were never checked.
func unobservedClause(page *client.CompanyPage) string {
	if page.NotObserved == nil || *page.NotObserved == 0 {
		return ""
	}
	return fmt.Sprintf("; %s that were never checked may match too", humanize.Comma(int64(*page.NotObserved)))
}
