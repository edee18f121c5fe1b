package company

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// BatchItem is the outcome of one item of a batch.
type BatchItem struct {
	Index     int      `json:"index" doc:"Position in the request's list, from 0."`
	Reference string   `json:"reference,omitempty" doc:"The item's reference, if any."`
	Input     string   `json:"input,omitempty" doc:"The value sent instead of a CUI: a trade-register number, or an invalid value."`
	TaxID     *ro.CUI  `json:"taxId,omitempty" doc:"The CUI that was looked up."`
	Date      *ro.Date `json:"date,omitempty" doc:"The item's date, if any."`
	Status    int      `json:"status" doc:"HTTP status that a look-up of this company alone would return."`
	// Company and Problem only describe the schema; AppendJSON encodes the rows.
	Company companyPart       `json:"company,omitempty" doc:"With status 200, the company: its profile, its summary, or the selected fields."`
	Problem lists.ProblemPart `json:"problem,omitempty" doc:"Why there is no company, as an RFC 9457 problem, with retryAfterSeconds where a retry helps."`

	// Profile and Freshness belong to the company, for channels with their own formats; Failure is the problem.
	Profile   *Company         `json:"-"`
	Freshness op.Freshness     `json:"-"`
	Failure   *problem.Problem `json:"-"`

	asked    ro.CompanyDay
	sent     string       // the value that was sent; empty for the plain digits of the CUI
	document *op.Document // the encoded profile, if the registry provides it
	repeated bool         // the company occurred before on the same day, and is charged there
	batch    *batch
	form     *itemForms // shared by the items of one company; nil without a profile
}

// SchemaName is the type's name in the API description.
func (BatchItem) SchemaName() string { return "CompanyBatchItem" }

// itemForms caches the encodings of a company, so that a company is encoded once even if the list contains it several
// times.
type itemForms struct {
	json  []byte
	cells []string
}

// companyPart is an object with members that depend on the call. The definitions of tools describe it only briefly, to
// stay short.
type companyPart struct{}

// Schema describes a company in which any field may be missing.
func (companyPart) Schema() jsonschema.Schema {
	some := jsonschema.Of(reflect.TypeFor[Company]())
	some.Name, some.Required = "CompanyFields", nil
	return jsonschema.Schema{Type: "object", Precise: &some}
}

func (i *BatchItem) fail(p *problem.Problem) { i.Status, i.Failure = p.Status(), lists.Retryable(p) }

// identify copies the values that identify the item in the list.
func (i *BatchItem) identify(w *Item) {
	i.Reference, i.Input, i.sent = w.reference, "", w.Input
	if w.day != 0 {
		i.Date = &w.day
	}
	if w.IsNumber() || w.CUI == 0 {
		i.Input = w.Input
	}
}

// Position implements Row.
func (i *BatchItem) Position() int { return i.Index }

// IsCharged implements Row. A company that was found is charged once for each distinct day in the list.
func (i *BatchItem) IsCharged() bool { return i.Status == 200 && !i.repeated }

// IsStored implements Row.
func (i *BatchItem) IsStored() bool { return i.Freshness.Cache == op.Hit }

// AppendJSON implements Row.
func (i *BatchItem) AppendJSON(b []byte, baseURL string) []byte {
	b = strconv.AppendInt(append(b, `{"index":`...), int64(i.Index), 10)
	if i.Reference != "" {
		b = lists.AppendQuoted(append(b, `,"reference":`...), i.Reference)
	}
	if i.Input != "" {
		b = lists.AppendQuoted(append(b, `,"input":`...), i.Input)
	}
	if i.TaxID != nil {
		b = strconv.AppendInt(append(b, `,"taxId":`...), int64(*i.TaxID), 10)
	}
	if i.Date != nil {
		b = append(i.Date.UTC().AppendFormat(append(b, `,"date":"`...), time.DateOnly), '"')
	}

	b = strconv.AppendInt(append(b, `,"status":`...), int64(i.Status), 10)
	if i.Failure != nil {
		b = append(append(b, `,"problem":`...), i.Failure.JSON(baseURL)...)
	} else {
		b = append(append(b, `,"company":`...), i.company()...)
	}

	return append(b, '}')
}

// company returns the company in the requested form.
func (i *BatchItem) company() []byte {
	switch {
	case len(i.batch.Fields) > 0:
		if i.form.json == nil {
			i.form.json = appendSelected(nil, i.batch.tree, i.profile())
		}
		return i.form.json
	case i.batch.View == SummaryView:
		return jsontext.MustEncode(i.Profile.Summary())
	}

	return i.profile()
}

func (i *BatchItem) profile() []byte {
	if i.document != nil {
		return i.document.JSON
	}
	return jsontext.MustEncode(i.Profile)
}

// Cells implements Row.
func (i *BatchItem) Cells() []string {
	input := i.sent
	if input == "" && i.TaxID != nil {
		input = i.TaxID.String()
	}

	cells := append(make([]string, 0, 6+len(i.batch.cells)), input, i.Reference)
	if i.batch.dated {
		day := ""
		if i.Date != nil {
			day = i.Date.String()
		}

		cells = append(cells, day)
	}

	cells = append(cells, strconv.Itoa(i.Status), "")
	if i.Failure != nil {
		cells[len(cells)-1] = i.Failure.Detail
		return append(append(cells, make([]string, len(i.batch.cells))...), i.asOf())
	}

	if i.form.cells == nil {
		text := i.profile()
		if len(i.batch.Fields) == 0 {
			text = jsontext.MustEncode(i.Profile.Summary())
		}

		object := newObjectReader(text)
		for _, name := range i.batch.cells {
			i.form.cells = append(i.form.cells, cell(object.at(name)))
		}
	}

	return append(append(cells, i.form.cells...), i.asOf())
}

// asOf returns the day that the answer is about: the requested one, or the day of the call. It is empty without an
// answer.
func (i *BatchItem) asOf() string {
	if i.Status != http.StatusOK && i.Status != http.StatusNotFound {
		return ""
	}
	return i.batch.dayOf(i.asked).Day.String()
}

// cell converts a JSON value to a table cell: texts without quotes, and an empty cell for null.
func cell(value json.RawMessage) string {
	switch {
	case len(value) == 0, string(value) == "null":
		return ""
	case value[0] == '"':
		return jsontext.Unescape(value[1 : len(value)-1])
	}

	return string(value)
}
