package api

import (
	"context"
	"slices"
	"time"
)

const (
	// partReaders is how many companies' parts are read at once. Most balance sheets are stored;
	// the others wait for the tax authority's ration.
	partReaders = 8
	// quietFor is how long nothing arrives before an empty chunk shows that the call goes on.
	quietFor = 10 * time.Second
	// partsTogether is how many companies are sent together at most.
	partsTogether = 100
)

// lacksParts reports whether companies have to wait for parts for which registries are asked.
func (b *batch) lacksParts() bool {
	return b.Include.Has(IncludeBalanceSheets) || b.Include.Has(IncludeRegisters)
}

// askRegisters asks the registers about all companies at once, so that they share requests.
func (b *batch) askRegisters(ctx context.Context, asked []CompanyDay) {
	if !b.Include.Has(IncludeRegisters) {
		return
	}
	b.registered = make(chan struct{})
	b.asking.Go(func() {
		defer close(b.registered)
		answers := b.parts.registers.Registers(ctx, asked, b.WaitSeconds.duration())
		b.entries = make(map[CompanyDay]Answer[*Registers], len(asked))
		for i, company := range asked {
			b.entries[company] = answers[i]
		}
	})
}

// addParts adds the parts that companies lack, and sends each company once it has them. A
// company whose parts did not arrive in time goes without: their sources say that they could
// not be asked.
func (b *batch) addParts(ctx context.Context) {
	done, next := make(chan *BatchItem, len(b.bare)), make(chan *BatchItem, len(b.bare))
	for _, item := range b.bare {
		next <- item
	}
	close(next)

	for range min(partReaders, len(b.bare)) {
		b.asking.Go(func() {
			for item := range next {
				b.complete(ctx, item)
				done <- item
			}
		})
	}

	for left := len(b.bare); left > 0 && b.err == nil; {
		var rows []Row
		select {
		case item := <-done:
			rows, left = b.appendRows(nil, item), left-1
		case <-time.After(quietFor):
		}
		for len(rows) > 0 && len(rows) < partsTogether && len(done) > 0 {
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
		answer := withRegisters(Answer[*Company]{Value: &company, Freshness: item.Freshness}, b.entries[item.asked])
		item.Freshness = answer.Freshness
	}
	if b.Include.Has(IncludeBalanceSheets) {
		b.sheets(ctx, item)
	}
}

// sheets adds the balance sheets of a company to a profile of the item's own.
func (b *batch) sheets(ctx context.Context, item *BatchItem) {
	source := Source{Name: "anaf-bilant", Cache: Miss}
	if ctx.Err() == nil {
		sheets, missing, hit, err := b.parts.companies.BalanceSheets(ctx, *item.TaxID, Years{})
		if err == nil {
			item.Profile.BalanceSheets, source.Missing = sheets, missing
		}
		if hit {
			source.Cache = Hit
		}
	}

	if source.Cache == Miss {
		item.Freshness.Cache = Miss
	}
	item.Profile.Sources = append(slices.Clip(item.Profile.Sources), source)
}
