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
			err = c.addFirst(p)
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

// addFirst adds the first rows of a chunk to a preview, with as many cells as there are columns.
func (c *Chunk) addFirst(p *job.Preview) error {
	rows := unpack(c.Input)
	for x := (row{}); len(p.FirstRows) < previewRows && rows.next(&x); x = (row{}) {
		cells := slices.Clone(x.Cells)
		for i := range cells {
			cells[i] = *problem.Excerpt(cells[i])
		}
		p.FirstRows = append(p.FirstRows, append(cells, make([]string, len(p.Columns)-len(cells))...))
		p.RowNumbers = append(p.RowNumbers, x.Line)
	}

	return rows.close()
}
