package jobs

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
)

// ChunkState is the progress of a chunk's rows.
type ChunkState int

// The states of a chunk.
const (
	// Open: no row has been looked up yet.
	Open ChunkState = iota
	// Priced: the outcomes are stored, and their price is being charged.
	Priced
	// Partly: some rows failed and will be retried.
	Partly
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

// Outcome is the outcome of a row's look-up.
type Outcome struct {
	// Status is the HTTP status that the look-up of this company alone would have.
	Status int `json:"s"`
	// TaxID and Day identify the company, as far as they are known.
	TaxID api.CUI  `json:"c,omitempty"`
	Day   api.Date `json:"d,omitempty"`
	// Profile is the JSON object of the fields.
	Profile json.RawMessage `json:"v,omitempty"`
	Problem *Problem        `json:"p,omitempty"`
	// RetrievedAt is the Unix time in seconds at which the oldest fact of the profile was retrieved.
	RetrievedAt int64 `json:"t,omitempty"`
	// Paid reports that the row was charged. Only the first row that is found for a company and day is charged.
	Paid bool `json:"x,omitempty"`
	// Pass is the pass in which the row was looked up, from 1.
	Pass int `json:"n"`
}

// failed reports whether the row failed for a temporary reason, so that a retry may succeed.
func (o *Outcome) failed() bool { return o.Status >= http.StatusInternalServerError }

// Tally counts outcomes.
type Tally struct{ Found, NotFound, Invalid, Failed int }

// EncodeOutcomes encodes the outcomes of a chunk for the store, and counts them.
func EncodeOutcomes(outcomes []Outcome) (packed []byte, t Tally, err error) {
	for i := range outcomes {
		switch o := &outcomes[i]; {
		case o.Status == http.StatusOK:
			t.Found++
		case o.failed():
			t.Failed++
		case o.Status == http.StatusNotFound:
			t.NotFound++
		default:
			t.Invalid++
		}
	}

	packed, err = pack(outcomes)
	return packed, t, err
}

// request returns the look-up of a row.
func (o *Order) request(cells []string) api.BatchRequest {
	r := api.BatchRequest{
		TaxID: strings.TrimSpace(at(cells, o.ID)), Date: isoDate(strings.TrimSpace(at(cells, o.Date))),
	}
	if r.Date == "" && o.Day != 0 {
		r.Date = o.Day.String()
	}
	return r
}

func at(cells []string, column int) string {
	if column < 0 || column >= len(cells) {
		return ""
	}
	return cells[column]
}

// isoDate converts a day in Romanian style, 31.12.2025, to 2025-12-31. It returns other texts unchanged.
func isoDate(text string) string {
	if day, err := time.Parse("2.1.2006", text); err == nil {
		return day.Format(time.DateOnly)
	}
	return text
}

// done returns the outcomes of all rows of a chunk, as outcomeReader reads them.
func (c *Chunk) done() ([]Outcome, error) {
	outcomes := make([]Outcome, c.Rows)
	r := c.openOutcomes()
	for i := range outcomes {
		if !r.next(&outcomes[i]) {
			break
		}
	}

	return outcomes, r.close()
}

// outcomeReader reads the outcomes of a chunk's rows one by one. A row has the zero Outcome if it has no outcome yet,
// or if the charge for it is not settled.
type outcomeReader struct {
	chunk *Chunk
	list  *unpacker // nil for a chunk without outcomes
}

func (c *Chunk) openOutcomes() outcomeReader {
	r := outcomeReader{chunk: c}
	if len(c.Outcomes) > 0 {
		r.list = unpack(c.Outcomes)
	}
	return r
}

// next reads the next outcome into o, and reuses the memory of its Profile.
func (r *outcomeReader) next(o *Outcome) bool {
	unused := Outcome{Profile: o.Profile[:0]}
	*o = unused
	if r.list == nil {
		return true
	}
	if !r.list.next(o) {
		return false
	}
	if r.chunk.State == Priced && o.Pass == r.chunk.Pass && o.Status == http.StatusOK {
		*o = unused
	}

	return true
}

func (r *outcomeReader) close() error {
	if r.list == nil {
		return nil
	}
	return r.list.close()
}
