package ask

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/rodata/rodata/client"
)

func searchCommand() *cobra.Command {
	var search client.Search
	var vat, inactive, eInvoice string
	var states []string
	q := question{
		use: "search [<words>...]", short: "Finds companies by name, place and activity",
		long: `
Finds companies in the trade register by name, in part or whole, and by county, place,
CAEN activity and state. --vat, --inactive and --efactura select by the tax authority's
answers; companies that this gateway has never checked match neither yes nor no, and
their number is shown.

A page costs 1 credit with a key.`,
		examples: `  rodata search exemplu transilvan
  rodata search --county CJ --caen 6210 --limit 50 --csv`,
		run: func(ctx context.Context, s *session, args []string) (err error) {
			search.Text = strings.Join(args, " ")
			for _, flag := range []struct {
				name, text string
				into       **bool
			}{{"vat", vat, &search.VATPayer}, {"inactive", inactive, &search.Inactive},
				{"efactura", eInvoice, &search.EInvoice}} {
				if *flag.into, err = choice(flag.name, flag.text); err != nil {
					return err
				}
			}

			for _, state := range states {
				search.States = append(search.States, client.State(state))
			}

			return s.search(ctx, search)
		},
	}

	cmd := q.command()
	flags := cmd.Flags()
	flags.StringVar(&search.County, "county", "", "County: name, plate code or number")
	flags.StringVar(&search.City, "city", "", "Name of the place")
	flags.StringVar(&search.NACECode, "caen", "", "CAEN Rev.3 class, 4 digits")
	flags.StringVar(&search.Industry, "industry", "",
		"CAEN section (a letter), division (2 digits) or group (3 digits)")
	flags.StringSliceVar(&states, "state", nil,
		"States in the trade register, separated by commas: in_operation, insolvent, ...")
	flags.StringVar(&vat, "vat", "", "Registered for VAT: yes or no")
	flags.StringVar(&inactive, "inactive", "", "Declared inactive: yes or no")
	flags.StringVar(&eInvoice, "efactura", "", "In the RO e-Factura register: yes or no")
	flags.IntVar(&search.Limit, "limit", 25, "Most companies to show, 1 to 100")
	flags.IntVar(&search.Offset, "offset", 0, "Matches to pass over")
	flags.StringVar(&search.SortBy, "sort", "", "Order: relevance, name, registrationDate or taxId")
	flags.BoolVar(&search.Descending, "descending", false, "Reverse the order")
	completeWith(cmd, "county", counties)
	for _, name := range []string{"vat", "inactive", "efactura"} {
		complete(cmd, name, []string{"yes", "no"})
	}

	complete(cmd, "state", []string{
		string(client.InOperation), string(client.Suspended), string(client.Dissolved), string(client.InLiquidation),
		string(client.InReorganization),
		string(client.Insolvent), string(client.Bankrupt), string(client.StruckOff), string(client.UnknownState),
	})
	complete(cmd, "sort", []string{"relevance", "name", "registrationDate", "taxId"})
	return cmd
}

// choice parses a flag that is yes or no; nil if it is absent.
func choice(flag, text string) (*bool, error) {
	yes := text == "yes"
	switch text {
	case "":
		return nil, nil
	case "yes", "no":
		return &yes, nil
	}

	return nil, wrongUsage("--%s is yes or no, not %q", flag, text)
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
	default:
		err = s.pageTable(page)
	}

	if err == nil && len(page.Items) == 0 {
		return fail(exitNotFound, "no company matches%s%s; try fewer words or filters", passedOver(page),
			unobserved(page))
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
	columns := []string{
		"taxId", "name", "companyType", "tradeNumber", "county", "city", "mainNaceCode", "registrationDate",
		"stateRegistration", "address", "vatPayer", "phone", "website",
	}
	var rows [][]string
	for _, c := range page.Items {
		rows = append(rows, []string{
			text(c.TaxID), c.Name, text(c.CompanyType), text(c.TradeNumber), text(c.County), text(c.City),
			text(c.MainNACECode), text(c.RegistrationDate), string(c.StateRegistration), text(c.Address),
			text(c.VATPayer), text(c.Phone), text(c.Website),
		})
	}

	return printCSV(s.out, columns, rows)
}

func (s *session) pageTable(page *client.CompanyPage) error {
	if len(page.Items) == 0 {
		return nil
	}

	t := grid{head: []string{"TAX ID", "NAME", "STATE", "VAT", "COUNTY", "CITY", "CAEN", "REGISTERED"}}
	for _, c := range page.Items {
		t.add(cell{text: text(c.TaxID)}, cell{c.Name, strong}, stateCell(c.StateRegistration), yesNo(c.VATPayer, nil),
			cell{text: text(c.County)}, cell{text: text(c.City)}, cell{text: text(c.MainNACECode)},
			cell{text: text(c.RegistrationDate)})
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

	fmt.Fprintln(s.out, "\n"+paint(footer+unobserved(page), quiet, s.colours))
	return nil
}

// unobserved returns a sentence about the number of companies that may also match, but were never looked at.
func unobserved(page *client.CompanyPage) string {
	if page.NotObserved == nil || *page.NotObserved == 0 {
		return ""
	}
	return fmt.Sprintf("; %s that were never looked at may match too", humanize.Comma(int64(*page.NotObserved)))
}
