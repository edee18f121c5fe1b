package ask

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/client"
)

func caenCommand() *cobra.Command {
	var limit int
	q := question{
		use: "caen <words or code>", short: "Explains a CAEN code, or finds those for an activity", minArgs: 1,
		long: `
Explains a code of the classification of activities (CAEN Rev.3), with the codes above
and below it, or finds the codes for what people call an activity, in Romanian or
English. For a code of Rev.2 that Rev.3 dropped it names the codes to use. It is free.`,
		examples: `  rodata caen 6210
  rodata caen coafor`,
		run: func(ctx context.Context, s *session, args []string) error {
			if err := checkLimit(limit); err != nil {
				return err
			}

			words := strings.Join(args, " ")
			if caenCode.MatchString(words) {
				return s.caenCode(ctx, strings.ToUpper(words))
			}
			return s.caenSearch(ctx, words, limit)
		},
	}

	cmd := q.command()
	cmd.Flags().IntVar(&limit, "limit", 10, "Maximum number of codes to show, 1 to 100")
	return cmd
}

// caenCode is the form of a section, division, group or class.
var caenCode = regexp.MustCompile(`^([A-Za-z]|[0-9]{2,4})$`)

func (s *session) caenCode(ctx context.Context, code string) error {
	details, err := s.CAENCode(ctx, code)
	if err != nil {
		return err
	}

	switch s.form {
	case asJSON:
		return printJSON(s.out, details)
	case asCSV:
		return s.codesCSV([]client.CAENCode{details.CAENCode})
	}

	t := new(grid)
	for depth, parent := range details.Parents {
		t.add(cell{text: strings.Repeat("  ", depth) + parent.Code}, cell{text: parent.Name},
			cell{parent.NameEn, quiet})
	}

	own := strings.Repeat("  ", len(details.Parents))
	t.add(cell{own + details.Code, strong}, cell{details.Name, strong}, cell{details.NameEn, quiet})
	for _, child := range details.Children {
		t.add(cell{text: own + "  " + child.Code}, cell{text: child.Name}, cell{child.NameEn, quiet})
	}
	if err := t.print(s.out, s.colours); err != nil {
		return err
	}

	if details.Description != nil {
		fmt.Fprintf(s.out, "\n%s\n", *details.Description)
	}
	if len(details.ReplacesRev2Codes) > 0 {
		fmt.Fprintf(s.out, "\n%s\n", paint(fmt.Sprintf("In place of CAEN Rev.2: %s", rev2(details.ReplacesRev2Codes)),
			quiet, s.colours))
	}

	return nil
}

// rev2 formats codes of Rev.2. They are classes, so they have 4 digits.
func rev2(codes []int) string {
	texts := make([]string, len(codes))
	for i, code := range codes {
		texts[i] = fmt.Sprintf("%04d", code)
	}
	return strings.Join(texts, ", ")
}

func (s *session) caenSearch(ctx context.Context, words string, limit int) error {
	page, err := s.SearchCAENCodes(ctx, words, limit)
	if err != nil {
		return err
	}

	switch {
	case s.form == asJSON:
		err = printJSON(s.out, page)
	case s.form == asCSV:
		err = s.codesCSV(page.Items)
	case len(page.Items) > 0:
		t := grid{head: []string{"CODE", "TYPE", "NAME", ""}}
		for _, c := range page.Items {
			t.add(cell{c.Code, strong}, cell{text: c.Type}, cell{text: c.Name}, cell{c.NameEn, quiet})
		}

		err = t.print(s.out, s.colours)
	}

	if err == nil && len(page.Items) == 0 {
		return fail(exitNotFound, "no activity matches %q; try other words, in Romanian or English", words)
	}

	return err
}

func (s *session) codesCSV(codes []client.CAENCode) error {
	return printFields(s.out, codes, "code", "type", "name", "nameEn", "parentCode")
}
