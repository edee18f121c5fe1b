package company

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// BatchRequest is one item of a list, as sent.
type BatchRequest struct {
	TaxID     string
	Reference string
	Date      string
}

// BatchItems is a list of objects that each refer to a company.
type BatchItems []BatchRequest

// TaxIDs is a list of tax ids or trade-register numbers, as numbers or texts.
type TaxIDs []string

// UnmarshalText reads a JSON array.
func (b *BatchItems) UnmarshalText(text []byte) (err error) {
	*b, err = lists.Read(text, `objects, such as [{"taxId": 14399840, "reference": "S-1"}]`, readItem)
	return err
}

// UnmarshalText reads a JSON array.
func (t *TaxIDs) UnmarshalText(text []byte) (err error) {
	*t, err = lists.Read(text, `numbers or strings, such as [14399840, "RO1590082"]`,
		readTaxID)
	return err
}

// Schema describes the list.
func (BatchItems) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Name: "RequestedCompany", Type: "object",
		Closed: true, Required: []string{"taxId"}, Properties: []jsonschema.Property{
			{Name: "taxId", Schema: jsonschema.Schema{Type: "integer", Or: "string",
				Description: "CUI with or without RO, or a trade-register number, such as J40/8302/1997."}},
			{Name: "date", Schema: jsonschema.Schema{Type: "string", Format: "date",
				Description: "As in get_company."}},
			{Name: "reference", Schema: jsonschema.Schema{Type: "string", MaxLength: longestReference,
				Description: "Your own text, repeated in the answer."}},
		}}}
}

// Schema describes the list.
func (TaxIDs) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "integer", Or: "string"}}
}

const (
	itemForm  = `an object with taxId and, optionally, date and reference`
	taxIDForm = `a number or a string`
)

// readItem parses an object member by member, so that unknown or repeated members are detected.
func readItem(object json.RawMessage) (item BatchRequest, err error) {
	if object[0] != '{' {
		return item, &problem.InputError{Code: problem.InvalidType, Accepted: itemForm,
			Reason: "it is not an object; send " + itemForm}
	}

	seen := make(map[string]bool, 3)
	for escaped, value := range jsontext.Members(object) {
		name := jsontext.Unescape(escaped)
		if seen[name] {
			return item, &problem.InputError{Code: problem.Repeated, Accepted: itemForm,
				Reason: name + " was sent more than once; send it once"}
		}

		seen[name] = true
		if err := item.set(name, value); err != nil {
			return item, err
		}
	}

	if !seen["taxId"] {
		return item, &problem.InputError{Code: problem.InvalidFormat, Accepted: itemForm,
			Reason: "taxId is missing; send " + itemForm}
	}

	return item, nil
}

func (r *BatchRequest) set(name string, value json.RawMessage) (err error) {
	switch name {
	case "taxId":
		r.TaxID, err = readTaxID(value)
	case "reference":
		if string(value) == "null" {
			return nil
		}

		if value[0] != '"' {
			return &problem.InputError{Code: problem.InvalidType, Accepted: "a string, in quotes",
				Reason: "its reference is not a string; send it in quotes"}
		}

		r.Reference, err = op.ScalarText(value)
		if err == nil {
			_, err = op.ShownText[Reference]([]byte(r.Reference), 0, longestReference)
		}
	case "date":
		if text := string(value); text != "null" && text != `""` { // the empty cells of spreadsheets
			r.Date, err = scalar(value, ro.DateForm)
		}
	default:
		err = &problem.InputError{Code: problem.InvalidFormat, Accepted: itemForm,
			Reason: fmt.Sprintf("it has the unknown member %s; send %s", problem.Quoted(name), itemForm)}
	}

	return err
}

// readTaxID returns the text of a tax id. A gap of a spreadsheet, null, is an empty text, so that only its item fails.
func readTaxID(value json.RawMessage) (string, error) {
	if string(value) == "null" {
		return "", nil
	}
	return scalar(value, taxIDForm)
}

// scalar is ScalarText with an error that names the accepted values.
func scalar(value json.RawMessage, accepted string) (string, error) {
	text, err := op.ScalarText(value)
	if err != nil {
		return "", &problem.InputError{Code: problem.InvalidType, Accepted: accepted,
			Reason: "it has the wrong type; send " + accepted}
	}
	return text, nil
}

// Item is a parsed item of a list: the company's CUI or trade register number with the day, or the reason why it
// cannot be looked up.
type Item struct {
	Input, reference string
	CUI              ro.CUI
	Number           tradenumber.Number
	day              ro.Date // zero for today
	Err              error
}

// IsNumber reports whether the company was named by its trade register number.
func (w *Item) IsNumber() bool { return w.Number != tradenumber.Number{} }

// company returns the company and the day. The CUI must have been resolved.
func (w *Item) company() ro.CompanyDay { return ro.CompanyDay{CUI: w.CUI, Day: w.day} }

// ParseItem parses a tax id leniently, as people write it.
func ParseItem(r BatchRequest) Item {
	w := Item{reference: r.Reference}
	if r.Date != "" {
		w.day, w.Err = readStatusDay(r.Date)
	}
	if w.CUI.UnmarshalText([]byte(r.TaxID)) == nil && r.TaxID[0] != '0' { // the common case
		return w
	}

	w.Input = *problem.Excerpt(r.TaxID)
	if number, ok := tradenumber.ParseStrict(r.TaxID); ok {
		w.Number = number
		return w
	}

	cui, err := ro.ParseCUI(r.TaxID)
	if wrong, ok := errors.AsType[*problem.InputError](err); ok {
		wrong.Accepted += ", or a trade register number, such as J40/8302/1997"
		if strings.TrimSpace(r.TaxID) == "" {
			wrong.Code, wrong.Accepted = problem.Required, "send "+wrong.Accepted
		}
		w.Err = lists.Invalid("taxId", r.TaxID, wrong)
	}

	w.CUI = cui
	return w
}

// readStatusDay parses a day that has statuses.
func readStatusDay(text string) (day ro.Date, err error) {
	if err := day.UnmarshalText([]byte(text)); err != nil {
		return 0, lists.Invalid("date", text, err)
	}
	return day, CheckStatusDay("date", day)
}

// View selects how much of a company an answer contains.
type View string

// The views.
const (
	FullView    View = "full"
	SummaryView View = "summary"
	VerdictView View = "verdict"
)

// UnmarshalText parses the name of a view.
func (v *View) UnmarshalText(text []byte) (err error) {
	*v, err = op.OneOf(text, FullView, SummaryView, VerdictView)
	return err
}

// Schema lists the views.
func (View) Schema() jsonschema.Schema { return jsonschema.Enum(FullView, SummaryView, VerdictView) }
