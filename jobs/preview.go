package jobs

import (
	"context"
	"slices"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/op/problem"
)

// previewRows is the number of rows in a preview.
const previewRows = 20

// PreviewJob implements [job.Jobs].
func (s *Service) PreviewJob(ctx context.Context, caller account.Caller, order job.Order) (*job.Preview, error) {
	read, err := s.prepare(ctx, caller, &order)
	if err != nil {
		return nil, err
	}
	defer read.close()

	j := read.job
	p := &job.Preview{Total: j.Total, Invalid: read.invalid, Blank: read.blank, CreditsReserved: j.Distinct,
		ETASeconds: problem.Seconds(s.Share.Length(j.Order.calls(j.Distinct))), Layout: j.Heading.layout(),
		Sheets: append([]string{}, read.sheets...), Columns: j.Order.Columns}
	for c, err := range read.read() {
		if err == nil {
			p.FirstRows, err = c.first(p.FirstRows, len(p.Columns))
		}
		if err != nil {
			return nil, err
		}
		if len(p.FirstRows) == previewRows {
			break
		}
	}

	return p, nil
}

// first appends the first rows of a chunk to those of a preview, with as many cells as there are columns.
func (c *Chunk) first(shown [][]string, columns int) (_ [][]string, err error) {
	rows := unpack(c.Input)
	for x := (row{}); len(shown) < previewRows && rows.next(&x); x = (row{}) {
		cells := slices.Clone(x.Cells)
		for i := range cells {
			cells[i] = *problem.Excerpt(cells[i])
		}
		shown = append(shown, append(cells, make([]string, columns-len(cells))...))
	}

	return shown, rows.close()
}
