package jobs

import (
	"cmp"
	"encoding/json"
	"net/http"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/ro"
)

// Outcome is the outcome of a row's look-up.
type Outcome struct {
	// Status is the HTTP status that the look-up of this company alone would have.
	Status int `json:"s"`
	// TaxID and Day identify the company, as far as they are known.
	TaxID ro.CUI  `json:"c,omitempty"`
	Day   ro.Date `json:"d,omitempty"`
	// Profile is the JSON object of the fields.
	Profile json.RawMessage `json:"v,omitempty"`
	Problem *Problem        `json:"p,omitempty"`
	// AnsweredOn is the day in Bucharest of the look-up. It is zero without an answer.
	AnsweredOn ro.Date `json:"a,omitempty"`
	// RetrievedAt is the Unix time in seconds at which the oldest fact of the profile was retrieved.
	RetrievedAt int64 `json:"t,omitempty"`
	// Unknown are the paths of the profile's parts whose register did not answer. Incomplete reports that a retry is
	// to complete them.
	Unknown    []string `json:"u,omitempty"`
	Incomplete bool     `json:"i,omitempty"`
	// Blank reports that the row has no tax id.
	Blank bool `json:"b,omitempty"`
	// Paid reports that the row was charged. Only the first row that is found for a company and day is charged.
	Paid bool `json:"x,omitempty"`
	// Pass is the pass in which the row was looked up, from 1.
	Pass int `json:"n"`
}

// newOutcome returns the outcome of a look-up, in a pass. After the last pass, an incomplete profile is accepted.
func newOutcome(o *company.Outcome, pass int, last bool) Outcome {
	outcome := Outcome{Status: o.Status, TaxID: o.Company.CUI, Day: o.Company.Day, Profile: o.Profile, Pass: pass,
		Unknown: o.Unknown, Incomplete: o.Incomplete && !last}
	if o.Status == http.StatusOK || o.Status == http.StatusNotFound {
		outcome.AnsweredOn = ro.Today()
	}
	if o.Problem != nil {
		outcome.Problem = newProblem(o.Problem)
	}
	if !o.RetrievedAt.IsZero() {
		outcome.RetrievedAt = o.RetrievedAt.Unix()
	}

	return outcome
}

// hasFailed reports whether the row failed for a temporary reason, so that a retry may succeed.
func (o *Outcome) hasFailed() bool { return o.Status >= http.StatusInternalServerError || o.Incomplete }

// asOf returns the day that the outcome is about: the requested one, or else that of the answer. It is zero for rows
// without an answer.
func (o *Outcome) asOf() ro.Date {
	if o.AnsweredOn == 0 {
		return 0
	}
	return cmp.Or(o.Day, o.AnsweredOn)
}

// Tally counts outcomes.
type Tally struct {
	Found, NotFound, Invalid, Blank, Failed int
	Verdicts
}

// Verdicts counts the rows with a verdict by its outcome.
type Verdicts struct{ VerdictStop, VerdictIncomplete, VerdictAttention, VerdictClear int }

func (v *Verdicts) count(outcome string) {
	switch company.VerdictOutcome(outcome) {
	case company.OutcomeStop:
		v.VerdictStop++
	case company.OutcomeIncomplete:
		v.VerdictIncomplete++
	case company.OutcomeAttention:
		v.VerdictAttention++
	case company.OutcomeClear:
		v.VerdictClear++
	}
}

// toAPI returns nil if no row has a verdict.
func (v *Verdicts) toAPI() *job.Verdicts {
	if *v == (Verdicts{}) {
		return nil
	}
	return &job.Verdicts{Stop: v.VerdictStop, Incomplete: v.VerdictIncomplete, Attention: v.VerdictAttention,
		Clear: v.VerdictClear}
}

// EncodeOutcomes encodes the outcomes of a chunk for the store, and counts them.
func EncodeOutcomes(outcomes []Outcome) (packed []byte, t Tally, err error) {
	verdict := company.NewCellReader([]company.Field{"verdict.outcome"})
	for i := range outcomes {
		switch o := &outcomes[i]; {
		case o.hasFailed():
			t.Failed++
		case o.Status == http.StatusOK:
			t.Found++
			t.count(verdict.Read(nil, o.Profile)[0])
		case o.Status == http.StatusNotFound:
			t.NotFound++
		case o.Blank:
			t.Blank++
		default:
			t.Invalid++
		}
	}

	packed, err = pack(outcomes)
	return packed, t, err
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
	if r.chunk.State == Priced && o.Pass == r.chunk.Pass && o.Status == http.StatusOK && !o.Incomplete {
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
