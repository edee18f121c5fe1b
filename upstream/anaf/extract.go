package anaf

import (
	"errors"

	"github.com/rodata/rodata/history"
)

// ErrNoName reports a record without a name.
var ErrNoName = errors.New("it has no name")

// Extract is an extract of a record. Monitoring compares extracts, so that it need not decode the whole record.
type Extract struct {
	// Statuses are the statuses on the requested day. A status is nil if the record does not have it.
	Statuses [history.Statuses]*bool
	// MainNACECode and Phone are nil if the record does not have them.
	MainNACECode, Phone *string
}

// Extract returns what monitoring compares. It is cheap if the record was just received.
func (r *Record) Extract() (Extract, error) {
	t := r.read.Load()
	if t == nil {
		var err error
		if t, err = r.parse(); err != nil {
			return Extract{}, err
		}
	}

	return Extract{
		Statuses: [history.Statuses]*bool{
			history.VATPayer: t.VAT.Payer.bool, history.VATOnCollection: t.VATOnCollection.Status.bool,
			history.VATSplit: t.SplitVAT.Status.bool, history.Inactive: t.Inactive.Status.bool,
			history.EInvoice: t.General.EInvoice.bool,
		},
		MainNACECode: digits(t.General.CAEN, 4), Phone: optional(t.General.Phone),
	}, nil
}
