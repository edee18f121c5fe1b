package bnr

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/holidays"
)

// paper is a document that the bank publishes at a fixed path.
type paper struct {
	path  string
	limit int64 // bytes
	year  int   // of a yearly document, otherwise 0
}

var (
	dayPaper     = paper{path: "/nbrfxrates.xml", limit: 256 << 10}
	tenDaysPaper = paper{path: "/nbrfxrates10days.xml", limit: 256 << 10}
)

func yearPaper(year int) paper {
	return paper{path: fmt.Sprintf("/files/xml/years/nbrfxrates%d.xml", year), limit: 4 << 20, year: year}
}

// edition is a fetched paper. It has no fixings if the paper is unchanged since the last fetch (304) or absent (404).
type edition struct {
	document
	unchanged  bool
	absent     bool
	validators upstream.Validators
}

// The bank is polled every half minute around publication, so its breaker must not stay open for long.
var breakerSettings = upstream.BreakerSettings{
	Failures: 3, Window: 10 * time.Minute, OpenFor: time.Minute, Deadline: 15 * time.Second,
}

// read makes one attempt to fetch a paper. Invalid content is an error here, behind the breaker, because a bank that
// answers with HTML pages is effectively down.
func (r *Registry) read(ctx context.Context, p paper) (edition, error) {
	var last upstream.Validators
	if p == dayPaper {
		r.mu.RLock()
		last = r.checks.validators
		r.mu.RUnlock()
	}

	res, err := r.o.Client.Do(ctx, upstream.Request{Path: p.path, Header: last.Header(), MaxBody: p.limit})
	if err != nil {
		return edition{}, err
	}

	switch {
	case res.Status == http.StatusNotModified && last != upstream.Validators{}:
		return edition{unchanged: true, validators: last}, nil
	case res.Status == http.StatusNotFound && p.year != 0:
		return edition{absent: true}, nil // the current year's document in early January
	case res.Status != http.StatusOK:
		return edition{}, broken("%s: status %d", p.path, res.Status)
	case strings.Contains(res.Header.Get("Content-Type"), "html"):
		return edition{}, broken("%s: an HTML page instead of rates", p.path)
	}

	doc, err := readDocument(res.Body)
	if err == nil {
		err = r.vet(p, doc)
	}
	if err != nil {
		return edition{}, broken("%s: %w", p.path, err)
	}

	return edition{document: doc, validators: res.Validators()}, nil
}

func broken(format string, args ...any) *op.Failure {
	return &op.Failure{Registry: name, Kind: op.Broken, Err: fmt.Errorf(format, args...)}
}

// vet rejects a document of the wrong period, or with implausible rates.
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
		return fmt.Errorf("its latest fixing is of %s, older than the stored one of %s", last, newest)
	}

	return r.archive.plausible(doc.fixings, r.factor)
}

// covers returns the days for which a paper is complete.
func (p paper) covers(doc document, today ro.Date) span {
	s := span{doc.fixings[0].Date, doc.fixings[len(doc.fixings)-1].Date}
	switch {
	case p == dayPaper:
		// The latest fixing was already the latest yesterday, so no day after it up to yesterday has one.
		s.to = max(s.to, today-1)
	case p.year != 0:
		// In January, the files of both years may lack days around New Year.
		begin, end := ro.NewDate(p.year, time.January, 1), ro.NewDate(p.year, time.December, 31)
		if s.from <= firstExpected(p.year) || today > begin+30 {
			s.from = begin
		}
		if today > end && s.to >= expectedBefore(end+1) || today > end+31 {
			s.to = end
		}
	}

	return s
}

func firstExpected(year int) ro.Date {
	day := ro.NewDate(year, time.January, 1)
	for !holidays.BankDay(day) {
		day++
	}
	return day
}
