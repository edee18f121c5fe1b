package bnr

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream"
)

// Bank is the connection to the central bank; *upstream.Client is one.
type Bank interface {
	// Do asks the bank once. Its errors are *api.Failure.
	Do(context.Context, upstream.Request) (*upstream.Response, error)
}

// paper is one of the documents that the bank keeps at a fixed address.
type paper struct {
	path  string
	limit int64 // bytes
	year  int   // of a year's document, else 0
}

var (
	dayPaper     = paper{path: "/nbrfxrates.xml", limit: 256 << 10}
	tenDaysPaper = paper{path: "/nbrfxrates10days.xml", limit: 256 << 10}
)

func yearPaper(year int) paper {
	return paper{path: fmt.Sprintf("/files/xml/years/nbrfxrates%d.xml", year), limit: 4 << 20, year: year}
}

// edition is a paper as the bank gave it. One that is unchanged since the last
// time, or absent, has no fixings.
type edition struct {
	document
	unchanged bool
	absent    bool
	mark      mark
}

// mark identifies an edition, so that the bank need not send it twice.
type mark struct{ etag, modified string }

func (m mark) header() http.Header {
	h := http.Header{}
	if m.etag != "" {
		h.Set("If-None-Match", m.etag)
	}
	if m.modified != "" {
		h.Set("If-Modified-Since", m.modified)
	}
	return h
}

// The bank's breaker: a poll every half minute must not be held up for long.
var breakerSettings = upstream.BreakerSettings{Failures: 3, Window: 10 * time.Minute, OpenFor: time.Minute, Deadline: 15 * time.Second}

// fetch asks for a paper, a second time when the connection broke. If that was
// one failure too many for the breaker, the failure is what there is to tell.
func (r *Registry) fetch(ctx context.Context, p paper) (edition, error) {
	ed, err := r.ask(ctx, p)
	if !errors.Is(err, upstream.ErrConnection) {
		return ed, err
	}
	select {
	case <-ctx.Done():
		return ed, err
	case <-time.After(200*time.Millisecond + rand.N(600*time.Millisecond)):
	}
	again, refused := r.ask(ctx, p)
	if errors.Is(refused, upstream.ErrNotAsked) {
		return ed, err
	}
	return again, refused
}

// read is one attempt at a paper. All that disqualifies it fails here, behind
// the breaker: a bank that answers with pages is as good as down.
func (r *Registry) read(ctx context.Context, p paper) (edition, error) {
	var last mark
	if p == dayPaper {
		last = r.dayMark()
	}
	res, err := r.o.Client.Do(ctx, upstream.Request{Path: p.path, Header: last.header(), MaxBody: p.limit})
	if err != nil {
		return edition{}, err
	}
	switch {
	case res.Status == http.StatusNotModified && last != mark{}:
		return edition{unchanged: true, mark: last}, nil
	case res.Status == http.StatusNotFound && p.year != 0:
		return edition{absent: true}, nil // the current year's, in its first days
	case res.Status != http.StatusOK:
		return edition{}, broken("%s: status %d", p.path, res.Status)
	case strings.Contains(res.Header.Get("Content-Type"), "html"):
		return edition{}, broken("%s: a page instead of rates", p.path)
	}
	doc, err := readDocument(res.Body)
	if err == nil {
		err = r.vet(p, doc)
	}
	if err != nil {
		return edition{}, broken("%s: %w", p.path, err)
	}
	return edition{document: doc, mark: mark{res.Header.Get("ETag"), res.Header.Get("Last-Modified")}}, nil
}

func broken(format string, args ...any) *api.Failure {
	return &api.Failure{Registry: name, Kind: api.Broken, Err: fmt.Errorf(format, args...)}
}

// vet refuses a document that is not what was asked for, or that cannot be true.
func (r *Registry) vet(p paper, doc document) error {
	first, last := doc.fixings[0].Date, doc.fixings[len(doc.fixings)-1].Date
	switch {
	case first < firstDay:
		return fmt.Errorf("a fixing of %s, before the archive begins", first)
	case last > r.today():
		return fmt.Errorf("a fixing of %s, in the future", last)
	case p.year != 0 && (first.Year() != p.year || last.Year() != p.year):
		return fmt.Errorf("fixings of %s to %s in the document of %d", first, last, p.year)
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if newest := r.archive.newest(); p == dayPaper && last < newest {
		return fmt.Errorf("its latest fixing is of %s, older than that of %s which is stored", last, newest)
	}
	return r.archive.plausible(doc.fixings, r.factor)
}

// covers is the run of days of which a paper has every fixing.
func (p paper) covers(doc document, today api.Date) span {
	s := span{doc.fixings[0].Date, doc.fixings[len(doc.fixings)-1].Date}
	switch {
	case p == dayPaper:
		// What is the latest today was so yesterday: no day between has a fixing.
		s.to = max(s.to, today-1)
	case p.year != 0:
		// In January the files of both years may still lack days at that edge.
		begin, end := api.NewDate(p.year, time.January, 1), api.NewDate(p.year, time.December, 31)
		if s.from <= firstExpected(p.year) || today > begin+30 {
			s.from = begin
		}
		if today > end && s.to >= expectedBefore(end+1) || today > end+31 {
			s.to = end
		}
	}
	return s
}

func firstExpected(year int) api.Date {
	day := api.NewDate(year, time.January, 1)
	for !publishes(day) {
		day++
	}
	return day
}
