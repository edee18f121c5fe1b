package vat

import (
	"strconv"
	"time"

	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// Item is the outcome for one number of a batch.
type Item struct {
	Index     int           `json:"index" doc:"Position in the list sent, from 0."`
	Input     string        `json:"input,omitempty" doc:"The text as sent; absent if it equals vatNumber."`
	VATNumber *ro.VATNumber `json:"vatNumber,omitempty" doc:"The number that was checked."`
	Status    int           `json:"status" doc:"HTTP status that checking this number alone would have."`
	// Check and Problem only describe the schema; AppendJSON encodes the row.
	Check   *VATCheck         `json:"check,omitempty" doc:"Answer of check_vat_number, if the status is 200."`
	Problem lists.ProblemPart `json:"problem,omitempty" doc:"Why there is no answer (RFC 9457), with retryAfterSeconds if retrying helps."`

	failure          *problem.Problem
	check            *VATCheck
	document         *op.Document // of the check, if it is stored
	stored, repeated bool
}

// SchemaName is the type's name in the API description.
func (Item) SchemaName() string { return "VATBatchItem" }

func (i *Item) fail(p *problem.Problem) { i.Status, i.failure = p.Status(), lists.Retryable(p) }

// Position implements Row.
func (i *Item) Position() int { return i.Index }

// IsCharged implements Row. Each distinct number is charged once, unless its status is unknown.
func (i *Item) IsCharged() bool {
	return i.Status == 200 && !i.repeated && i.check.Status != Unknown
}

// IsStored implements Row.
func (i *Item) IsStored() bool { return i.stored }

// AppendJSON implements Row.
func (i *Item) AppendJSON(b []byte, baseURL string) []byte {
	b = strconv.AppendInt(append(b, `{"index":`...), int64(i.Index), 10)
	if i.Input != "" {
		b = lists.AppendQuoted(append(b, `,"input":`...), i.Input)
	}
	if i.VATNumber != nil {
		b = lists.AppendQuoted(append(b, `,"vatNumber":`...), string(*i.VATNumber))
	}

	b = strconv.AppendInt(append(b, `,"status":`...), int64(i.Status), 10)
	switch {
	case i.failure != nil:
		b = append(append(b, `,"problem":`...), i.failure.JSON(baseURL)...)
	case i.document != nil:
		b = append(append(b, `,"check":`...), i.document.JSON...)
	default:
		b = append(append(b, `,"check":`...), jsontext.MustEncode(i.check)...)
	}

	return append(b, '}')
}

// vatColumns are the columns of a table of checks.
var vatColumns = []string{
	"input", "status", "problem", "vatNumber", "countryCode", "validity", "name", "address", "requestDate",
	"consultationNumber", "requester", "lastKnown", "vatPayerInRomania",
}

// Cells implements Row.
func (i *Item) Cells() []string {
	cells := make([]string, len(vatColumns))
	cells[0], cells[1] = i.Input, strconv.Itoa(i.Status)
	if i.VATNumber != nil {
		cells[3] = string(*i.VATNumber)
		if i.Input == "" {
			cells[0] = cells[3]
		}
	}

	if i.failure != nil {
		cells[2] = i.failure.Detail
		return cells
	}

	c := i.check
	cells[4], cells[5], cells[6], cells[7] = c.CountryCode, string(c.Status), lists.OrEmpty(c.Name),
		lists.OrEmpty(c.Address)
	if c.RequestDate != nil {
		cells[8] = c.RequestDate.Format(time.RFC3339)
	}

	cells[9], cells[10] = lists.OrEmpty(c.ConsultationNumber), string(lists.OrEmpty(c.Requester))
	if c.LastKnown != nil {
		cells[11] = string(c.LastKnown.Status)
	}
	if c.RomanianRegister != nil && c.RomanianRegister.VATPayer != nil {
		cells[12] = strconv.FormatBool(*c.RomanianRegister.VATPayer)
	}

	return cells
}
