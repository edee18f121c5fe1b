package jobs

import (
	"slices"

	"github.com/rodata/rodata/api"
)

// chunkRows is the number of rows that are looked up and stored together. Requesting this many companies takes 8
// seconds, and the look-up of a company gives up after 12.
const chunkRows = 700

// chunker packs rows into chunks.
type chunker struct {
	rows   [][]string
	chunks []Chunk
}

func (c *chunker) add(cells []string) error {
	c.rows = append(c.rows, slices.Clone(cells))
	if len(c.rows) == chunkRows {
		return c.flush()
	}
	return nil
}

func (c *chunker) flush() error {
	if len(c.rows) == 0 {
		return nil
	}

	packed, err := pack(c.rows)
	c.chunks = append(c.chunks, Chunk{Number: len(c.chunks), Rows: len(c.rows), Input: packed})
	c.rows = c.rows[:0]
	return err
}

// count counts the distinct companies of a job, and for each chunk the companies that occur for the first time.
func (c *chunker) count(job *Job) error {
	distinct := make(api.DistinctCompanies)
	var cells []string
	for i := range c.chunks {
		chunk := &c.chunks[i]
		before := len(distinct)
		rows := unpack(chunk.Input)
		for rows.next(&cells) {
			distinct.Add(job.Order.request(cells))
		}
		if err := rows.close(); err != nil {
			return err
		}

		chunk.Firsts = len(distinct) - before
	}

	job.Distinct = len(distinct)
	return nil
}
