package api

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// sheetReaders is how many companies' balance sheets are read at once. Most are stored;
	// the others wait for the tax authority's ration.
	sheetReaders = 8
	// quietFor is how long nothing arrives before an empty chunk shows that the call goes on.
	quietFor = 10 * time.Second
)

// addSheets adds the balance sheets, and sends each company once it has them. A company whose
// sheets did not arrive in time goes without: the source says that it could not be asked.
func (b *batch) addSheets(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	done, next := make(chan *BatchItem), make(chan *BatchItem, len(b.bare))
	for _, item := range b.bare {
		next <- item
	}
	close(next)

	var readers sync.WaitGroup
	for range min(sheetReaders, len(b.bare)) {
		readers.Go(func() {
			for item := range next {
				b.sheets(ctx, item)
				done <- item
			}
		})
	}

	for left := len(b.bare); left > 0; {
		var rows []Row
		select {
		case item := <-done:
			rows, left = b.appendRows(nil, item), left-1
		case <-time.After(quietFor):
		}

		if b.err == nil {
			b.err = b.out.Send(rows)
		}
		if b.err != nil { // the client has gone, and nobody needs the other sheets
			cancel()
		}
	}
	readers.Wait()
}

// sheets adds the balance sheets of a company.
func (b *batch) sheets(ctx context.Context, item *BatchItem) {
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
