package jobs

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/upload"
	"github.com/rodata/rodata/op/problem"
)

// ChunkState is the progress of a chunk's rows.
type ChunkState int

// The states of a chunk.
const (
	// Open: no row has been looked up yet.
	Open ChunkState = iota
	// Priced: the outcomes are stored, and their price is being charged.
	Priced
	// Retrying: some rows failed and will be retried.
	Retrying
	// Settled: all rows are done.
	Settled
)

// Chunk is a group of at most chunkRows rows of a job.
type Chunk struct {
	Number, Rows int
	// Firsts is the number of distinct companies and days that occur for the first time in the file.
	Firsts int
	State  ChunkState
	// Pass counts the look-ups of the rows.
	Pass int
	// Price is the price of the last pass in credits, and Failed the number of rows that failed in it.
	Price, Failed int
	// Due is the time at which failed rows are retried. For a Priced chunk, it is the time at which charging began.
	Due             time.Time
	Input, Outcomes []byte
}

// readOutcomes returns the outcomes of all rows, as outcomeReader reads them.
func (c *Chunk) readOutcomes() ([]Outcome, error) {
	outcomes := make([]Outcome, c.Rows)
	r := c.openOutcomes()
	for i := range outcomes {
		if !r.next(&outcomes[i]) {
			break
		}
	}

	return outcomes, r.close()
}

// missingRows returns the rows that have no outcome, or a failed one, with their indexes in the chunk.
func (c *Chunk) missingRows(order *Order, outcomes []Outcome) (indexes []int, items []company.BatchRequest, err error) {
	rows := unpack(c.Input)
	defer func() { err = errors.Join(err, rows.close()) }()
	var x row
	for i := range outcomes {
		if !rows.next(&x) {
			return nil, nil, errRowsMissing
		}
		if outcomes[i].Status == 0 || outcomes[i].hasFailed() {
			indexes, items = append(indexes, i), append(items, order.request(x.Cells))
		}
	}

	return indexes, items, nil
}

// rowFunc is called with a row and its outcome, which are only valid during the call.
type rowFunc func(index int, x *row, o *Outcome) error

// each calls a function with the rows of a chunk. The index is the position of the chunk's first row in the job.
func (c *Chunk) each(index int, do rowFunc) (err error) {
	rows, outcomes := unpack(c.Input), c.openOutcomes()
	defer func() { err = errors.Join(err, rows.close(), outcomes.close()) }()
	var x row
	var o Outcome
	for range c.Rows {
		x.Kinds = x.Kinds[:0] // a row of texts has none
		if !rows.next(&x) || !outcomes.next(&o) {
			return errRowsMissing
		}
		if err := do(index, &x, &o); err != nil {
			return err
		}

		index++
	}

	return nil
}

// errRowsMissing reports a chunk with fewer stored rows than its number of rows.
var errRowsMissing = errors.New("stored rows are missing")

const (
	// chunkRows is the number of rows that are looked up and stored together. Requesting this many companies takes 8
	// seconds, and the look-up of a company gives up after 12.
	chunkRows = 700
	// chunkBytes is the size from which a chunk takes no further rows. Long rows would otherwise take much memory, and
	// keep other uploads and jobs waiting. Each cell counts cellBytes besides its text.
	chunkBytes = 1 << 20
	cellBytes  = 16
)

// Chunks are the chunks of a new job, in order. Each is valid until the next one.
type Chunks = iter.Seq2[*Chunk, error]

// chunker packs rows into chunks, and counts the distinct companies and the rows of the job. The inputs of the chunks
// are in a file, because several files may be read at a time. The chunker must be closed.
type chunker struct {
	job      *Job
	rows     []row
	size     int           // of these rows
	all      int64         // the size of all cells, in bytes
	limit    int64         // the maximum of job.Bytes
	chunks   []Chunk       // without Input
	sizes    []int         // of the inputs
	inputs   *upload.Spool // of all chunks
	distinct company.DistinctCompanies
	// invalid and blank are the numbers of rows with a wrong number or day, and of those without a number.
	invalid, blank int
	sheets         []string // of a workbook
}

func (c *chunker) add(t *upload.Table, x *upload.Row) error {
	c.rows = append(c.rows, row{slices.Clone(x.Cells), x.Line, slices.Clone(x.Kinds)})
	for _, cell := range x.Cells {
		c.size += len(cell) + cellBytes
		c.all += int64(len(cell))
	}

	c.job.Order.ID, c.job.Order.Date = t.ID, t.Date
	switch item := c.job.Order.request(x.Cells); {
	case c.distinct.Add(item):
	case item.TaxID == "":
		c.blank++
	default:
		c.invalid++
	}
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
	if err != nil {
		return err
	}
	if c.job.Bytes += int64(len(packed)); c.job.Bytes > c.limit {
		return problem.Invalid(&problem.InputError{Parameter: "file", Code: problem.TooLong,
			Accepted: fmt.Sprintf("a file whose rows take at most %d MiB compressed", c.limit>>20),
			Reason: fmt.Sprintf("the rows of the file take more than %d MiB even compressed; leave out columns, or "+
				"split it into several files", c.limit>>20)})
	}

	c.sizes = append(c.sizes, len(packed))
	c.chunks = append(c.chunks, Chunk{Number: len(c.chunks), Rows: len(c.rows),
		Firsts: len(c.distinct) - c.job.Distinct})
	c.job.Distinct = len(c.distinct)
	clear(c.rows)
	c.rows, c.size = c.rows[:0], 0
	return c.inputs.Add(packed)
}

// end packs the last rows.
func (c *chunker) end() error { return errors.Join(c.flush(), c.inputs.Flush()) }

// read returns the chunks after the end.
func (c *chunker) read() Chunks {
	return func(yield func(*Chunk, error) bool) {
		at := int64(0)
		for i := range c.chunks {
			var err error
			chunk := c.chunks[i]
			chunk.Input, err = c.inputs.Read(at, c.sizes[i])
			if !yield(&chunk, err) || err != nil {
				return
			}
			at += int64(c.sizes[i])
		}
	}
}

func (c *chunker) close() { c.inputs.Close() }
