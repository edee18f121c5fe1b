package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/client"
)

func watchChanges() *cobra.Command {
	var query client.EventQuery
	var follow bool
	q := question{
		use: "changes", short: "Shows what changed about watched companies", maxArgs: -1,
		long: `
Shows what changed about watched companies, the oldest first, a line for each change.
With --follow it then waits for new ones, until Ctrl-C. Events are kept for 90 days.
To go on later, give --after the cursor of the last event, which --json and --csv
print: --json prints an event a line. It is free.`,
		examples: `  rodata watch changes
  rodata watch changes --follow
  rodata watch changes --type company.vat.cancelled,company.inactive.declared --json`,
		run: func(ctx context.Context, s *session, _ []string) error {
			if follow && s.form == asCSV {
				return WrongUsage("--follow never ends, so it cannot print a table; use --json, which prints one event per line")
			}

			events := s.Events(ctx, query)
			if follow {
				events = s.Follow(ctx, query)
			}

			if len(query.Types) == 0 {
				events = withoutJobs(events)
			}

			err := s.printEvents(events)
			if follow && ctx.Err() != nil { // Ctrl-C ends following
				return nil
			}

			return err
		},
	}

	cmd := q.command()
	flags := cmd.Flags()
	flags.BoolVar(&follow, "follow", false, "Wait for new changes")
	flags.StringVar(&query.After, "after", "", "Cursor: only later events")
	flags.StringVar(&query.Watchlist, "list", "", "Only changes of this watch-list (default all)")
	flags.Int64Var(&query.TaxID, "tax-id", 0, "Only changes of this company")
	flags.StringSliceVar(&query.Types, "type", nil, "Only changes of these kinds, such as company.vat.cancelled")
	complete(cmd, "type", eventTypes)
	return cmd
}

// eventTypes are the kinds of events about companies.
var eventTypes = []string{
	"company.vat.registered", "company.vat.cancelled", "company.vat_on_collection.started",
	"company.vat_on_collection.ended", "company.inactive.declared", "company.inactive.lifted",
	"company.e_invoice.registered", "company.e_invoice.removed", "company.state.changed", "company.name.changed",
	"company.seat.changed", "company.fiscal_domicile.changed", "company.activity.changed", "company.contact.changed",
	"company.statement.filed", "company.unknown", "watchlist.unpaid", "company.seat.expired", "company.seat.renewed",
	"company.statement.absent",
}

// withoutJobs leaves out events about jobs, which are not changes of a company.
func withoutJobs(events iter.Seq2[client.Event, error]) iter.Seq2[client.Event, error] {
	return func(yield func(client.Event, error) bool) {
		for event, err := range events {
			if event.Data.Job == nil && !yield(event, err) {
				return
			}
		}
	}
}

// printEvents prints each event as it arrives, or all of them as a table.
func (s *session) printEvents(events iter.Seq2[client.Event, error]) error {
	var changes []eventChange
	lines := json.NewEncoder(s.out)
	lines.SetEscapeHTML(false)
	for event, err := range events {
		if err != nil {
			return err
		}

		switch s.form {
		case asJSON:
			err = lines.Encode(event)
		case asCSV:
			for i := range event.Data.Changes {
				changes = append(changes, eventChange{&event, &event.Data.Changes[i]})
			}
			if len(event.Data.Changes) == 0 {
				changes = append(changes, eventChange{&event, onlyChange(&event)})
			}
		default:
			err = s.printEvent(&event)
		}

		if err != nil {
			return err
		}
	}

	if s.form != asCSV {
		return nil
	}

	columns := []string{
		"timestamp", "taxId", "name", "reference", "severity", "type", "field", "before", "after",
		"validFrom", "cursor",
	}
	return printCSV(s.out, columns, changes, func(row *eventChange) []string {
		e, c := row.event, row.change
		return []string{
			e.Timestamp.Format(time.RFC3339), text(e.Data.TaxID), text(e.Data.Name), text(e.Data.Reference),
			e.Data.Severity, c.Type, c.Field, valueText(c.Before), valueText(c.After), text(c.ValidFrom), e.Cursor,
		}
	})
}

// eventChange is a change of an event.
type eventChange struct {
	event  *client.Event
	change *client.Change
}

// onlyChange returns the row of an event without changes.
func onlyChange(e *client.Event) *client.Change {
	c := &client.Change{Type: e.Type}
	if s := e.Data.Statement; s != nil {
		c.Field, c.After = "statement.year", s.Year
	}
	return c
}

// printEvent prints an event in readable form.
func (s *session) printEvent(e *client.Event) error {
	subject := text(e.Data.Name)
	if e.Data.TaxID != nil {
		subject = text(e.Data.TaxID) + " " + subject
	}
	if e.Data.Reference != nil {
		subject += " (" + *e.Data.Reference + ")"
	}

	tones := map[string]tone{"high": bad, "medium": doubt}
	if _, err := fmt.Fprintf(s.out, "%s  %s  %s\n",
		paint(e.Timestamp.Local().Format("2006-01-02 15:04"), quiet, s.colours),
		paint(e.Type, tones[e.Data.Severity], s.colours), paint(subject, strong, s.colours)); err != nil {
		return err
	}

	if j := e.Data.Job; j != nil {
		if _, err := fmt.Fprintf(s.out, "    job %s: %s, %d of %d rows found, for %s\n", j.ID, j.Status, j.Found,
			j.Total, quantity(j.CreditsCost, "credit")); err != nil {
			return err
		}
	}

	if st := e.Data.Statement; st != nil {
		if _, err := fmt.Fprintf(s.out, "    year %d: in no published file; last known statement: %d\n", st.Year,
			st.LastFiled); err != nil {
			return err
		}
	}

	for _, c := range e.Data.Changes {
		line := fmt.Sprintf("    %s: %s, was %s", c.Field, displayText(c.After), displayText(c.Before))
		if c.ValidFrom != nil {
			line += ", from " + c.ValidFrom.String()
		}
		if _, err := fmt.Fprintln(s.out, line); err != nil {
			return err
		}
	}

	return nil
}

// valueText formats the value of a field for programs.
func valueText(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// displayText formats the value of a field for people.
func displayText(value any) string {
	switch value {
	case nil:
		return "unknown"
	case true:
		return "yes"
	case false:
		return "no"
	}

	return oneLine(fmt.Sprint(value))
}
