package jobs

import (
	"fmt"
	"slices"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/upload"
	"github.com/rodata/rodata/op/problem"
)

const (
	// chunkRows is the number of rows that are looked up and stored together. Requesting this many companies takes 8
	// seconds, and the look-up of a company gives up after 12.
	chunkRows = 700
	// chunkBytes is the size from which a chunk takes no further rows. Long rows would otherwise take much memory, and
	// keep other uploads and jobs waiting. Each cell counts cellBytes besides its text.
	chunkBytes = 1 << 20
	cellBytes  = 16
)

// chunker packs rows into chunks, and counts the distinct companies and the rows of the job.
type chunker struct {
	job      *Job
	rows     []row
	size     int   // of these rows
	all      int64 // the size of all cells, in bytes
	packed   int   // the size of the chunks
	limit    int   // the maximum of packed
	chunks   []Chunk
	distinct company.DistinctCompanies
}

func (c *chunker) add(t *upload.Table, x *upload.Row) error {
	c.rows = append(c.rows, row{slices.Clone(x.Cells), slices.Clone(x.Kinds)})
	for _, cell := range x.Cells {
		c.size += len(cell) + cellBytes
		c.all += int64(len(cell))
	}

	c.job.Order.ID, c.job.Order.Date = t.ID, t.Date
	c.distinct.Add(c.job.Order.request(x.Cells))
	if len(c.rows) == chunkRows || c.size >= chunkBytes {
		return c.flush()
	}
	return nil
}

// flush packs the rows. It counts the companies that occur for the first time.
func (c *chunker) flush() error {
	if len(c.rows) == 0 {
		return nil
	}

	packed, err := pack(c.rows)
	if c.packed += len(packed); c.packed > c.limit {
		return problem.Invalid(&problem.InputError{Parameter: "file", Code: problem.TooLong,
			Accepted: fmt.Sprintf("a file whose rows take at most %d MiB compressed", c.limit>>20),
			Reason: fmt.Sprintf("the rows of the file take more than %d MiB even compressed; leave out columns, or "+
				"split it into several files", c.limit>>20)})
	}

	c.chunks = append(c.chunks, Chunk{Number: len(c.chunks), Rows: len(c.rows), Input: slices.Clone(packed),
		Firsts: len(c.distinct) - c.job.Distinct})
	c.job.Distinct = len(c.distinct)
	clear(c.rows)
	c.rows, c.size = c.rows[:0], 0
	return err
}
