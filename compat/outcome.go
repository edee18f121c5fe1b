package compat

import (
	"errors"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/op"
)

// outcome is the result for one item of an inquiry. It implements op.Row.
type outcome struct {
	inquiryItem
	position int
	repeated bool // an earlier item requested the same company on the same day
	record   []byte
	unknown  bool // the registry has confirmed that it does not know the company
	free     bool // the record has no content
	err      error
	op.Freshness
}

// Position implements op.Row.
func (o *outcome) Position() int { return o.position }

// IsCharged implements op.Row.
func (o *outcome) IsCharged() bool { return o.record != nil && !o.repeated && !o.free }

// IsStored implements op.Row.
func (o *outcome) IsStored() bool { return o.Cache == op.Hit }

// AppendJSON implements op.Row.
func (o *outcome) AppendJSON(b []byte, _ string) []byte { return append(b, o.record...) }

// Cells implements op.Row.
func (o *outcome) Cells() []string { return nil }

// outcomeOf returns the outcome for one record.
func outcomeOf(answer op.Answer[company.Record], err error) (o outcome) {
	o.Freshness = answer.Freshness
	switch {
	case errors.Is(err, op.ErrUnknown):
		o.unknown = true
	case err != nil:
		o.err = err
	default:
		o.record, o.err = answer.Value.Raw()
	}

	return o
}

// errNoRecord is the error for a profile without the tax authority's record, because only other registers could be
// asked.
var errNoRecord = &op.Failure{Registry: "anaf", Kind: op.Closed,
	Err: errors.New("the profile has no record of the tax authority")}

// taxpayer returns the tax authority's part of a profile.
func taxpayer(f company.Found) (o outcome) {
	o.Freshness = f.Answer.Freshness
	switch company := f.Answer.Value; {
	case errors.Is(f.Err, op.ErrUnknown), f.Err == nil && company.Unlisted:
		o.unknown = true
	case f.Err != nil:
		o.err = f.Err
	case company.Record == nil:
		o.err = errNoRecord
	default:
		o.record, o.err = company.Record.Raw()
	}

	return o
}

// rowCollector collects the rows of a call. It implements op.RowWriter.
type rowCollector struct {
	rows []*outcome
}

// Begin implements op.RowWriter.
func (*rowCollector) Begin(*op.Reply) {}

// Write implements op.RowWriter.
func (c *rowCollector) Write(rows []op.Row) error {
	for _, row := range rows {
		c.rows = append(c.rows, row.(*outcome))
	}
	return nil
}
