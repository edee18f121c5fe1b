package jobs

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
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

// done returns the outcomes of a chunk that are paid, and those that cost nothing; a row without one has the zero
// Outcome.
func (c *Chunk) done() ([]Outcome, error) {
	if len(c.Outcomes) == 0 {
		return make([]Outcome, c.Rows), nil
	}
	outcomes, err := unpack[Outcome](c.Outcomes)
	if err != nil {
		return nil, err
	}
	for i := range outcomes {
		if o := &outcomes[i]; c.State == Priced && o.Pass == c.Pass && o.Status == http.StatusOK {
			*o = Outcome{}
		}
	}
	return outcomes, nil
}

// maxUnpacked bounds the unpacked size of a stored chunk.
const maxUnpacked = 512 << 20

// packers are compressors, each of which takes more than a megabyte.
var packers = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil { // for an unknown level
		panic(err)
	}
	return w
}}

// pack compresses a value as it is stored.
func pack(v any) ([]byte, error) {
	var packed bytes.Buffer
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(&packed)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// unpack is the inverse of pack.
func unpack[T any](packed []byte) (all []T, err error) {
	r := flate.NewReader(bytes.NewReader(packed))
	defer r.Close()
	if err := json.NewDecoder(io.LimitReader(r, maxUnpacked)).Decode(&all); err != nil {
		return nil, fmt.Errorf("reading stored rows: %w", err)
	}
	return all, nil
}
