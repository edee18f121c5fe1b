package anaf

import (
	"errors"
	"fmt"
)

// shapeSample is the minimum number of records that show on their own that the shape of answers has changed. With fewer
// records, VAT data may be missing for other reasons.
const shapeSample = 3

// errShape marks an answer with records of a changed shape. It does not incriminate any number.
var errShape = errors.New("changed in shape")

// checkShape rejects an answer in which most records do not say whether the company pays VAT. After such an answer, it
// rejects even answers with few records until one has VAT data again.
func (c *Client) checkShape(records []element) error {
	lacking := 0
	for i := range records {
		if records[i].lacksVAT() {
			lacking++
		}
	}

	switch {
	case 2*lacking < len(records):
		c.changed.Store(false)
	case len(records) >= shapeSample && 2*lacking > len(records):
		c.changed.Store(true)
	}

	if 2*lacking > len(records) && c.changed.Load() {
		return fmt.Errorf("%w: %d of %d records do not say whether the company pays VAT",
			errShape, lacking, len(records))
	}

	return nil
}
