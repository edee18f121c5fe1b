package main

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"time"
)

// bankWatch compares the newest fixing that a gateway serves with the central bank's.
type bankWatch struct {
	published, served map[string]bool // days of fixings
	// behind is the time since which the gateway has served an older fixing; zero if it is up to date. longest is the
	// longest time for which it did.
	behind  time.Time
	longest time.Duration
}

// fixingWithin is the maximum time from the publication of a fixing until the gateway serves it: a minute, plus the
// imprecision of the measurement.
const fixingWithin = 10 * time.Minute

var (
	publishedDay = regexp.MustCompile(`<Cube date="([^"]+)"`)
	servedDay    = regexp.MustCompile(`"date":"([^"]+)"`)
)

// watchBank watches until ctx ends.
func (w *week) watchBank(ctx context.Context) {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}

		document, err := download(ctx, w.registries.BNR.URL+"/nbrfxrates.xml")
		if err != nil {
			continue
		}

		answer, err := w.probe("/v1/fx-rates")
		if err != nil {
			continue
		}

		published, served := publishedDay.FindSubmatch(document), servedDay.FindSubmatch(answer)
		if published != nil && served != nil {
			w.bank.see(string(published[1]), string(served[1]), w.now())
		}
	}
}

func (b *bankWatch) see(published, served string, now time.Time) {
	if b.published == nil {
		b.published, b.served = make(map[string]bool), make(map[string]bool)
	}

	b.published[published], b.served[served] = true, true
	if published == served {
		b.behind = time.Time{}
		return
	}
	if b.behind.IsZero() {
		b.behind = now
	}

	b.longest = max(b.longest, now.Sub(b.behind))
}

func download(ctx context.Context, url string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}

	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()

	return io.ReadAll(res.Body)
}
