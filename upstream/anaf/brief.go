package anaf

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/rodata/rodata/history"
)

// ErrNoName reports a record without a name.
var ErrNoName = errors.New("it has no name")

// Brief is an extract of a record. Monitoring compares extracts, so that it need not decode the whole record.
type Brief struct {
	// Statuses are the statuses on the requested day. A status is nil if the record does not have it.
	Statuses [history.Statuses]*bool
	// MainNACECode and Phone are nil if the record does not have them.
	MainNACECode, Phone *string
}

// Brief returns the extract of a record. It is cheap if the record was just received.
func (r *Record) Brief() (Brief, error) {
	if c := r.company; c != nil {
		b := Brief{MainNACECode: c.MainNACECode, Phone: c.Phone}
		b.Statuses = [history.Statuses]*bool{
			history.VATPayer: c.VATPayer, history.VATOnCollection: c.VATOnCollection, history.VATSplit: c.VATSplit,
		}
		if c.Inactive != nil {
			b.Statuses[history.Inactive] = &c.Inactive.Status
		}
		if c.EInvoice != nil {
			b.Statuses[history.EInvoice] = &c.EInvoice.Registered
		}

		return b, nil
	}

	t := r.read.Load()
	if t == nil {
		raw, err := r.Raw()
		if err != nil {
			return Brief{}, err
		}
		if err := json.Unmarshal(raw, &t); err != nil {
			return Brief{}, fmt.Errorf("reading a record: %w", err)
		}
	}

	if t == nil {
		return Brief{}, errPacking
	}

	return t.brief(), nil
}

func (t *taxpayer) brief() Brief {
	return Brief{
		Statuses: [history.Statuses]*bool{
			history.VATPayer: t.VAT.Payer.bool, history.VATOnCollection: t.VATOnCollection.Status.bool,
			history.VATSplit: t.SplitVAT.Status.bool, history.Inactive: t.Inactive.Status.bool,
			history.EInvoice: t.General.EInvoice.bool,
		},
		MainNACECode: digits(t.General.CAEN, 4), Phone: optional(t.General.Phone),
	}
}
