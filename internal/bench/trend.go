package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// minLines is how many lines a trend needs.
const minLines = 8

// The tolerances between the two halves of the lines, after the first eighth, in which
// the gateway warms up.
const (
	residentMore    = 1.05 // times
	goroutinesMore  = 20
	descriptorsMore = 10
	missedAtMost    = 0.01 // of the calls of each line
)

// line is the figures of a gateway for an interval, and at its end.
type line struct {
	usage
	after           time.Duration
	latency         []time.Duration // until the line is added
	calls           int
	resent, reloads int64
	answered        int // calls, as the gateway counts them, since it was started
	missed          int // calls for companies that the cache could not answer, likewise
}

// read takes the figures of a moment.
func (l *line) read(server *server, metrics string) (err error) {
	if l.usage, err = server.usage(metrics); err != nil {
		return err
	}
	page, err := fetch(metrics, get(metrics, "/metrics"))
	if err != nil {
		return err
	}

	l.answered = total(page, "rodata_requests_total{")
	l.missed = total(page, `rodata_cache_total{kind="company",result="miss"}`) + total(page, `rodata_cache_total{kind="company",result="collapsed"}`)
	return nil
}

// total is the sum of the series that begin with a text.
func total(page []byte, series string) (sum int) {
	for row := range bytes.Lines(page) {
		if bytes.HasPrefix(row, []byte(series)) {
			n, err := strconv.ParseFloat(string(bytes.TrimSpace(row[bytes.LastIndexByte(row, ' '):])), 64)
			if err == nil {
				sum += int(n)
			}
		}
	}
	return sum
}

const lineHeader = "| after | calls | p50 | p99 | max | sent again | missed | reloads | resident MiB | goroutines | descriptors |\n" +
	"|---|---|---|---|---|---|---|---|---|---|---|\n"

// trend is the lines so far.
type trend struct{ lines []line }

// add appends a line, and gives it as it is printed.
func (t *trend) add(l line) string {
	slices.Sort(l.latency)
	if len(l.latency) == 0 {
		l.latency = []time.Duration{0}
	}

	at := func(p float64) time.Duration { return percentile(l.latency, p).Round(10 * time.Microsecond) }
	text := fmt.Sprintf("| %s | %d | %s | %s | %s | %d | %d | %d | %.1f | %d | %d |\n", l.after.Round(time.Second), len(l.latency),
		at(0.50), at(0.99), at(1), l.resent, l.missed-t.last().missed, l.reloads, float64(l.resident)/1024, l.goroutines, l.descriptors)
	l.calls, l.latency = len(l.latency), nil // there would be millions in hours
	t.lines = append(t.lines, l)
	return text
}

func (t *trend) last() line {
	if len(t.lines) == 0 {
		return line{}
	}
	return t.lines[len(t.lines)-1]
}

// verdict is what grew, or went back, and should not have.
func (t *trend) verdict() error {
	if len(t.lines) < minLines-1 { // the last one may be due when the calls end
		return fmt.Errorf("%d lines show no trend", len(t.lines))
	}
	var errs []error
	for i, l := range t.lines[1:] {
		before := t.lines[i]
		if l.answered < before.answered {
			errs = append(errs, fmt.Errorf("after %s the gateway has counted %d calls, and %d before", l.after.Round(time.Second), l.answered, before.answered))
		}
		if missed := l.missed - before.missed; float64(missed) > missedAtMost*float64(l.calls) {
			errs = append(errs, fmt.Errorf("after %s the cache missed %d of %d calls", l.after.Round(time.Second), missed, l.calls))
		}
	}

	return errors.Join(append(errs, t.grown())...)
}

// grown is what grew by more than it may.
func (t *trend) grown() error {
	var errs []error
	for _, h := range t.held() {
		if h.second > h.most {
			errs = append(errs, fmt.Errorf("%s grew from %d to %d", h.name, h.first, h.second))
		}
	}
	return errors.Join(errs...)
}

// held is what a gateway held, in the first half of the time and in the second,
// and the most that the second may be.
type held struct {
	name                string
	first, second, most int
}

// held compares the halves of the lines, those apart in which the gateway warms up.
func (t *trend) held() []held {
	warm := t.lines[len(t.lines)/8:]
	first, second := warm[:len(warm)/2], warm[len(warm)/2:]
	compare := func(name string, of func(line) int, times float64, more int) held {
		before := medianOf(first, of)
		return held{name, before, medianOf(second, of), int(float64(before)*times) + more}
	}

	return []held{
		compare("KiB of memory", func(l line) int { return l.resident }, residentMore, 0),
		compare("goroutines", func(l line) int { return l.goroutines }, 1, goroutinesMore),
		compare("descriptors", func(l line) int { return l.descriptors }, 1, descriptorsMore),
	}
}

// summary says what the gateway held, in words.
func (t *trend) summary() string {
	if len(t.lines) < minLines-1 {
		return ""
	}
	text := "\n"
	for _, h := range t.held() {
		text += fmt.Sprintf("%s: %d in the first half, %d in the second, %d at most\n", h.name, h.first, h.second, h.most)
	}

	return text
}

// medianOf is the median of a figure.
func medianOf(lines []line, of func(line) int) int {
	figures := make([]int, len(lines))
	for i, l := range lines {
		figures[i] = of(l)
	}
	slices.Sort(figures)
	return figures[len(figures)/2]
}
