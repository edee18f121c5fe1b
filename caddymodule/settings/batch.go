package settings

import (
	"fmt"

	"github.com/rodata/rodata/caddymodule/internal/option"
)

// Batch bounds the companies of one call.
type Batch struct {
	// Keyed is the maximum with a key or session. Default 1,000.
	Keyed int `json:"keyed,omitempty"`
	// Anonymous is the maximum without a key. Default 100.
	Anonymous int `json:"anonymous,omitempty"`
}

// maxBatch is about the number of companies that fit into the largest accepted body.
const maxBatch = 2_000

func (b *Batch) rows() option.Table {
	return option.Table{"keyed": option.Number(&b.Keyed), "anonymous": option.Number(&b.Anonymous)}
}

func (b *Batch) validate() error {
	for _, n := range []int{b.Keyed, b.Anonymous} {
		if n < 0 || n > maxBatch {
			return fmt.Errorf("keyed and anonymous: give numbers of companies from 1 to %d, or leave them out",
				maxBatch)
		}
	}

	return nil
}
