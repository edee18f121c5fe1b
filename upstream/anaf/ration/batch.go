package ration

import (
	"slices"

	"github.com/rodata/rodata/ro"
)

// batch is the content of one call.
type batch struct {
	probe   []*request // suspects; empty in an ordinary batch
	others  []*request
	rest    []*request // the suspects of the probe's group that are not in it
	certain bool       // the group certainly contains poison
	excused bool       // a failure does not count against the registry
	apart   bool       // no other requests are added
}

func (b *batch) len() int             { return len(b.probe) + len(b.others) }
func (b *batch) requests() []*request { return slices.Concat(b.probe, b.others) }
func (b *batch) ordinary() bool       { return len(b.probe) == 0 }
func (b *batch) companies() (all []ro.CompanyDay) {
	for _, r := range b.requests() {
		all = append(all, r.company)
	}
	return all
}
