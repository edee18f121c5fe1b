package company

import (
	"context"
	"slices"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

const (
	// partReaders is the number of companies whose parts are read concurrently. Most balance sheets are stored; the
	// others wait for the tax authority's ration.
	partReaders = 8
	// idleInterval is the time without results after which an empty group shows that the call continues.
	idleInterval = 10 * time.Second
	// maxPartsChunk is the maximum number of companies sent together.
	maxPartsChunk = 100
)

// lacksParts reports whether the call requests parts that only other registries provide, so that companies have to
// wait for them.
func (b *batch) lacksParts() bool {
	return b.Include.Has(IncludeBalanceSheets) || b.Include.Has(IncludeRegisters)
}

// askRegisters requests all companies from the registers at once, so that they share requests.
func (b *batch) askRegisters(ctx context.Context, asked []ro.CompanyDay) {
	if !b.Include.Has(IncludeRegisters) {
		return
	}

	b.registered = make(chan struct{})
	b.lookups.Go(func() {
		defer close(b.registered)
		answers := b.parts.registers.Registers(ctx, asked, b.WaitSeconds.Duration())
		b.entries = make(map[ro.CompanyDay]op.Answer[*Registers], len(asked))
		for i, company := range asked {
			b.entries[company] = answers[i]
		}
	})
}

// addParts adds the missing parts of companies, and sends each company once it has them. If a company's parts do not
// arrive in time, it is sent without them, and their sources are marked as unavailable.
func (b *batch) addParts(ctx context.Context) {
	done, next := make(chan *BatchItem, len(b.incomplete)), make(chan *BatchItem, len(b.incomplete))
	for _, item := range b.incomplete {
		next <- item
	}
	close(next)

	for range min(partReaders, len(b.incomplete)) {
		b.lookups.Go(func() {
			for item := range next {
				b.complete(ctx, item)
				done <- item
			}
		})
	}

	for left := len(b.incomplete); left > 0 && b.err == nil; {
		var rows []op.Row
		select {
		case item := <-done:
			rows, left = b.appendRows(nil, item), left-1
		case <-time.After(idleInterval):
		}

		for len(rows) > 0 && len(rows) < maxPartsChunk && len(done) > 0 {
			rows, left = b.appendRows(rows, <-done), left-1
		}

		b.err = b.out.Send(rows)
	}
}

// complete adds the parts of a company.
func (b *batch) complete(ctx context.Context, item *BatchItem) {
	company := *item.Profile
	item.Profile, item.document = &company, nil
	if b.registered != nil {
		<-b.registered
		answer := withRegisters(op.Answer[*Company]{Value: &company, Freshness: item.Freshness}, b.entries[item.asked])
		item.Freshness = answer.Freshness
	}

	if b.Include.Has(IncludeBalanceSheets) {
		b.addSheets(ctx, item)
	}
}

// addSheets adds a company's balance sheets to a copy of its profile.
func (b *batch) addSheets(ctx context.Context, item *BatchItem) {
	source := sheetSource(nil, false)
	if ctx.Err() == nil {
		sheets, missing, hit, err := b.parts.companies.BalanceSheets(ctx, *item.TaxID, Years{})
		if source = sheetSource(sheets, hit); err == nil {
			item.Profile.BalanceSheets, source.Missing = sheets, missing
		}
	}

	if source.Cache == op.Miss {
		item.Freshness.Cache = op.Miss
	}

	item.Profile.Sources = append(slices.Clip(item.Profile.Sources), source)
}
