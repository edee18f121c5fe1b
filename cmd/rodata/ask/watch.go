package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/client"
)

func watchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "watch", Short: "Watches companies, and shows what changed about them", Long: strings.TrimSpace(`
Puts companies into watch-lists of the key's account, which the gateway checks every
day, and shows what changed about them.`) + aboutAsking,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return WrongUsage("there is no command \"rodata watch %s\"; \"rodata watch --help\" lists the commands",
				args[0])
		},
	}
	cmd.AddCommand(watchAdd(), watchRemove(), watchList(), watchChanges())
	return cmd
}

// listFlag adds the flag for a watch-list.
func listFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("list", client.DefaultWatchlist, "Id of the watch-list")
}

func watchAdd() *cobra.Command {
	var list *string
	var reference string
	q := question{
		use: "add <tax id>...", short: "Watches companies", minArgs: 1, plain: true,
		long: `
Adds companies to a watch-list: the gateway checks them every day, and "rodata watch
changes" shows what changed. A company costs 1 credit a calendar month, however often
it is added.`,
		examples: `  rodata watch add 9900000010
  rodata watch add 9900000010 --reference SUP-001`,
		run: func(ctx context.Context, s *session, args []string) error {
			if reference != "" && len(args) > 1 {
				return WrongUsage("--reference applies to a single company, as in: rodata watch add 9900000010 --reference " +
					"SUP-001")
			}

			for _, id := range args {
				if err := s.Watch(ctx, *list, id, reference); err != nil {
					return err
				}
				fmt.Fprintf(s.out, "%s is watched\n", id)
			}

			return nil
		},
	}
	cmd := q.command()
	list = listFlag(cmd)
	cmd.Flags().StringVar(&reference, "reference", "", "Text of your own that the company's events repeat")
	return cmd
}

func watchRemove() *cobra.Command {
	var list *string
	q := question{
		use: "remove <tax id>...", short: "Stops watching companies", minArgs: 1, plain: true,
		long: `
Removes companies from a watch-list. The month stays paid.`,
		examples: `  rodata watch remove 9900000010`,
		run: func(ctx context.Context, s *session, args []string) error {
			for _, id := range args {
				if err := s.Unwatch(ctx, *list, id); err != nil {
					return err
				}
				fmt.Fprintf(s.out, "%s is no longer watched\n", id)
			}

			return nil
		},
	}
	cmd := q.command()
	list = listFlag(cmd)
	return cmd
}

func watchList() *cobra.Command {
	var list *string
	q := question{
		use: "list", short: "Lists the watched companies", maxArgs: -1,
		long: `
Lists the companies of a watch-list, those with problems first: the state of each, when it
was last checked, and when it last changed. --json and --csv list them by tax id. It is
free.`,
		examples: `  rodata watch list
  rodata watch list --csv`,
		run: func(ctx context.Context, s *session, _ []string) error {
			all, err := s.watched(ctx, *list)
			if err != nil {
				return err
			}
			return s.printWatched(all)
		},
	}
	cmd := q.command()
	list = listFlag(cmd)
	return cmd
}

// watched returns all companies of a watch-list. The default watch-list is empty until it is first used.
func (s *session) watched(ctx context.Context, list string) ([]client.WatchedCompany, error) {
	all := []client.WatchedCompany{}
	for {
		page, err := s.Watched(ctx, list, 0, len(all))
		if missing, ok := errors.AsType[*client.Problem](err); ok && missing.Code == client.CodeNotFound &&
			list == client.DefaultWatchlist {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if all = append(all, page.Items...); len(page.Items) == 0 || len(all) >= page.TotalCount {
			return all, nil
		}
	}
}

func (s *session) printWatched(companies []client.WatchedCompany) error {
	if s.form == asJSON {
		return printJSON(s.out, companies)
	}

	if s.form == asCSV {
		columns := []string{
			"taxId", "name", "reference", "state", "paid", "addedAt", "lastCheckedAt", "nextCheckAt", "lastEventAt",
			"stateRegistration", "vatPayer", "vatEndedOn", "inactive",
		}
		return printCSV(s.out, columns, companies, func(c *client.WatchedCompany) []string {
			return []string{
				strconv.FormatInt(c.TaxID, 10), text(c.Name), text(c.Reference), c.State, strconv.FormatBool(c.Paid),
				instant(&c.AddedAt), instant(c.LastCheckedAt), instant(c.NextCheckAt), instant(c.LastEventAt),
				string(c.StateRegistration), text(c.VATPayer), text(c.VATEndedOn), text(c.Inactive),
			}
		})
	}

	if len(companies) == 0 {
		s.say("No company is on this watch-list; \"rodata watch add <tax id>\" adds one.")
		return nil
	}

	type line struct {
		company *client.WatchedCompany
		state   cell
	}

	lines := make([]line, len(companies))
	for i := range companies {
		lines[i] = line{&companies[i], watchedCell(&companies[i])}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return worstFirst(a.state.tone, b.state.tone) })

	t := grid{head: []string{"TAX ID", "NAME", "REFERENCE", "STATE", "CHECKED", "CHANGED"}}
	for _, l := range lines {
		c := l.company
		t.add(cell{text: strconv.FormatInt(c.TaxID, 10)}, cell{text(c.Name), strong},
			cell{text: text(c.Reference)}, l.state,
			cell{agoOr(c.LastCheckedAt, "never"), quiet}, cell{text: agoOr(c.LastEventAt, "")})
	}

	return t.print(s.out, s.colours)
}

// watchedCell tells the state of a watched company in words, its problems first.
func watchedCell(c *client.WatchedCompany) cell {
	switch {
	case !c.Paid:
		return cell{"unpaid: not checked", doubt}
	case c.State == "not_found":
		return cell{"in no register", bad}
	}

	state := stateCell(c.StateRegistration)
	if c.StateRegistration == client.UnknownState {
		state.text = "state unknown"
	}

	cells := []cell{state}
	switch {
	case c.Inactive == nil:
		cells = append(cells, cell{"inactivity unknown", doubt})
	case *c.Inactive:
		cells = append(cells, cell{"inactive", bad})
	}

	switch {
	case c.VATPayer == nil:
		cells = append(cells, cell{"VAT unknown", doubt})
	case c.VATEndedOn != nil:
		cells = append(cells, cell{"no VAT since " + c.VATEndedOn.String(), bad})
	case !*c.VATPayer:
		cells = append(cells, cell{"no VAT", neutral})
	default:
		cells = append(cells, cell{"VAT", good})
	}

	if c.State == "new" { // it says nothing that some facts are unknown
		cells = slices.DeleteFunc(cells, func(one cell) bool { return one.tone == doubt })
		cells = append(cells, cell{"not checked yet", doubt})
	}

	slices.SortStableFunc(cells, func(a, b cell) int { return worstFirst(a.tone, b.tone) })
	whole := cell{tone: cells[0].tone}
	for i, one := range cells {
		if i > 0 {
			whole.text += ", "
		}
		whole.text += one.text
	}

	return whole
}

// worstFirst compares tones: bad, then doubtful, neutral and good.
func worstFirst(a, b tone) int {
	rank := []tone{bad, doubt, neutral, good}
	return cmp.Compare(slices.Index(rank, a), slices.Index(rank, b))
}
