package api

import (
	"context"
	"slices"
	"sync"
	"time"
)

// bareItem is an item of a batch whose company lacks its balance sheets.
type bareItem struct {
	*BatchItem
	answer Answer[*Company]
}

const (
	// sheetReaders is how many companies' balance sheets are read at once. Most are stored;
	// the others wait for the tax authority's ration.
	sheetReaders = 8
	// quietFor is how long nothing becomes known before the caller is told.
	quietFor = 10 * time.Second
)

// addSheets adds the balance sheets, and sends each company once it has them. A company whose
// sheets were not there in time goes without: the source says that it could not be asked.
func (b *batch) addSheets(ctx context.Context) {
	done, next := make(chan *BatchItem), make(chan bareItem, len(b.bare))
	for _, item := range b.bare {
		next <- item
	}
	close(next)

	var readers sync.WaitGroup
	for range min(sheetReaders, len(b.bare)) {
		readers.Go(func() {
			for item := range next {
				b.sheets(ctx, item)
				done <- item.BatchItem
			}
		})
	}

	for range b.bare {
		rows := []Row(nil)
		for waiting := true; waiting; {
			select {
			case item := <-done:
				rows, waiting = b.appendRows(nil, *item.TaxID, item), false
			case <-time.After(quietFor):
			}
			if b.err == nil {
				b.err = b.out.Send(rows)
			}
		}
	}
	readers.Wait()
}

// sheets adds the balance sheets of a company.
func (b *batch) sheets(ctx context.Context, item bareItem) {
	company := *item.Profile
	source := Source{Name: "anaf-bilant", Cache: Miss}
	if ctx.Err() == nil {
		sheets, missing, hit, err := b.companies.BalanceSheets(ctx, *item.TaxID, Years{})
		if err == nil {
			company.BalanceSheets, source.Missing = sheets, missing
		}
		if hit {
			source.Cache = Hit
		}
	}

	if source.Cache == Miss {
		item.Freshness.Cache = Miss
	}
	company.Sources = append(slices.Clip(company.Sources), source)
	item.Profile, item.document = &company, nil
}
