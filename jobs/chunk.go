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
	// Open: no row is looked up.
	Open ChunkState = iota
	// Priced: the outcomes are written, and their price is being charged.
	Priced
	// Partly: rows that failed are to be tried again.
	Partly
	// Settled: all rows are done.
	Settled
)

// Chunk is some hundred rows of a job.
type Chunk struct {
	Number, Rows int
	// Firsts is the number of rows whose company occurs for the first time in the file.
	Firsts int
	State  ChunkState
	// Pass counts the look-ups of the rows.
	Pass int
	// Price is the price of the last pass in credits, and Failed the number of rows that failed in it.
	Price, Failed int
	// Due is when failed rows are tried again; of a Priced chunk, since when it is being charged.
	Due             time.Time
	Input, Outcomes []byte
}

// Outcome is the outcome of a row's look-up.
type Outcome struct {
	// Status is the HTTP status that the look-up of this company alone would have.
	Status int `json:"s"`
	// TaxID and Day name the company, as far as they are known.
	TaxID api.CUI  `json:"c,omitempty"`
	Day   api.Date `json:"d,omitempty"`
	// Profile is the JSON object of the fields.
	Profile json.RawMessage `json:"v,omitempty"`
	Problem *Problem        `json:"p,omitempty"`
	// RetrievedAt is the Unix time in seconds at which the oldest fact of the profile was retrieved.
	RetrievedAt int64 `json:"t,omitempty"`
	// Paid reports that the row was charged: it is the first of its company and day that was found.
	Paid bool `json:"x,omitempty"`
	// Pass is the pass in which the row was looked up, from 1.
	Pass int `json:"n"`
}

// failed reports whether the row could not be answered now.
func (o *Outcome) failed() bool { return o.Status >= http.StatusInternalServerError }

// Tally counts outcomes.
type Tally struct{ Found, NotFound, Invalid, Failed int }

// EncodeOutcomes returns the outcomes of a chunk as they are stored, and counts them.
func EncodeOutcomes(outcomes []Outcome) ([]byte, Tally, error) {
	packed, err := pack(outcomes)
	return packed, tallyOf(outcomes), err
}

func tallyOf(outcomes []Outcome) (t Tally) {
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
	return t
}

// request is the look-up of a row.
func (o *Order) request(cells []string) api.BatchRequest {
	r := api.BatchRequest{TaxID: strings.TrimSpace(at(cells, o.ID)), Date: isoDate(strings.TrimSpace(at(cells, o.Date)))}
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

// isoDate turns a day as it is written in Romania, 31.12.2025, into 2025-12-31, and leaves others as they are.
func isoDate(text string) string {
	if day, err := time.Parse("2.1.2006", text); err == nil {
		return day.Format(time.DateOnly)
	}
	return text
}

// done returns the outcomes of a chunk, as outcomeReader reads them.
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

// outcomeReader reads the outcomes of a chunk's rows one by one: those that are paid, and those that cost nothing. A row
// without one has the zero Outcome.
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

// next reads an outcome, and reuses the memory of the profile that is in it.
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
