package ask

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/client"
)

// batchQuestion holds the arguments of "rodata batch".
type batchQuestion struct {
	file   *inputFile
	out    string // path; - for standard output
	format string
	// column, dateColumn and sheet choose what is otherwise recognised.
	column, dateColumn, sheet string
	date                      client.Date
	fields                    []string
}

// formats are the formats of a result.
var formats = []string{"csv", "xlsx", "ndjson", "json", "parquet"}

func batchCommand() *cobra.Command {
	var b batchQuestion
	q := question{
		use: "batch <file>", short: "Looks up the companies of a file", minArgs: 1, maxArgs: 1, plain: true,
		long: `
Looks up all companies of a file, and writes the same rows with what was found. The
file is CSV, XLSX, NDJSON or JSON, or - for standard input. The table in it is found:
the sheet, the names of the columns, the column with the numbers (cui, cif, cod fiscal
and the like, or where most are tax ids), and the column with the days (data, data
facturii, invoice date and the like). What was recognised is printed; --sheet, --column
and --date-column choose otherwise. The ending of -o decides what is written: .csv,
.xlsx, .ndjson, .json or .parquet.

With a key the gateway does it as a job, for files of up to 200,000 rows and 20 MiB;
each company found costs 1 credit. Ctrl-C cancels the job. Without a key it takes up to
100 rows, unless the gateway allows others. Rows that cannot be answered have a
problem in the result; the exit code is still 0.`,
		examples: `  rodata batch suppliers.csv -o checked.xlsx
  rodata batch suppliers.xlsx -o checked.csv --date 2026-06-30 --fields name,vatPayer
  cat numbers.txt | rodata batch - -o -`,
		run: func(ctx context.Context, s *session, args []string) (err error) {
			if err := b.chooseFormat(); err != nil {
				return err
			}
			if b.file, err = readInput(args[0]); err != nil {
				return err
			}
			run := s.runList
			if s.keyed {
				run = s.runJob
			}

			var done string
			err = s.writeFile(b.out, func(w io.Writer) (err error) {
				done, err = run(ctx, &b, w)
				return err
			})
			if err == nil {
				s.say("%s", done)
			}
			return err
		},
	}

	cmd := q.command()
	cmd.ValidArgsFunction = nil // files
	flags := cmd.Flags()
	flags.StringVarP(&b.out, "output", "o", "-", "File to write; - for standard output")
	flags.StringVar(&b.format, "format", "",
		"Output format (default by the extension of -o, else csv): "+strings.Join(formats, ", "))
	flags.StringVar(&b.column, "column", "", "Name or number of the column with the tax ids")
	flags.StringVar(&b.dateColumn, "date-column", "", "Name or number of the column with the day of each row, or none")
	flags.StringVar(&b.sheet, "sheet", "", "Name or number of the sheet of a workbook")
	dayFlag(cmd, &b.date, "date", "Day whose statuses are wanted, such as 2026-06-10, for rows without a day "+
		"(default today)")
	flags.StringSliceVar(&b.fields, "fields", nil, "Fields of the companies to write, such as name,vatPayer,seat.city")
	complete(cmd, "format", formats)
	return cmd
}

// chooseFormat determines the output format.
func (b *batchQuestion) chooseFormat() error {
	if b.format == "" {
		b.format = strings.TrimPrefix(strings.ToLower(filepath.Ext(b.out)), ".")
		switch {
		case b.out == "-":
			b.format = "csv"
		case b.format == "jsonl":
			b.format = "ndjson"
		}
	}

	if !slices.Contains(formats, b.format) {
		return WrongUsage("%q cannot be written; the formats are %s, as in: rodata batch suppliers.csv -o checked.xlsx",
			b.format, strings.Join(formats, ", "))
	}
	return nil
}
