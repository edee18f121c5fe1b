package main

import (
	"errors"
	"fmt"
	"time"
)

// minLines is the minimum number of lines for a trend.
const minLines = 8

// The tolerated differences between the first and the second half of the lines. The first eighth, in which the gateway
// warms up, is left out.
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
	latency         []time.Duration // sorted; dropped once the line is added
	calls           int
	resent, reloads int64
}

// trend is the lines so far.
type trend struct{ lines []line }

// add appends a line, and returns its printed form.
func (t *trend) add(l line) string {
	text := fmt.Sprintf("| %s | %d |%s %d | %d | %d | %.1f | %d | %d |\n", l.after.Round(time.Second), len(l.latency),
		cells(l.latency, 10*time.Microsecond, 0.50, 0.99, 1), l.resent, l.missed-t.last().missed, l.reloads,
		float64(l.resident)/1024, l.goroutines, l.descriptors)
	l.calls, l.latency = len(l.latency), nil
	t.lines = append(t.lines, l)
	return text
}

func (t *trend) last() line {
	if len(t.lines) == 0 {
		return line{}
	}
	return t.lines[len(t.lines)-1]
}

// verdict lists values that grew or decreased unexpectedly.
func (t *trend) verdict() error {
	if len(t.lines) < minLines-1 { // the calls may end before the last line is printed
		return fmt.Errorf("%d lines show no trend", len(t.lines))
	}

	var errs []error
	for i, l := range t.lines[1:] {
		before := t.lines[i]
		if l.answered < before.answered {
			errs = append(errs, fmt.Errorf("after %s the gateway has counted %d calls, and %d before",
				l.after.Round(time.Second), l.answered, before.answered))
		}

		if missed := l.missed - before.missed; float64(missed) > missedAtMost*float64(l.calls) {
			errs = append(errs, fmt.Errorf("after %s the cache missed %d of %d calls",
				l.after.Round(time.Second), missed, l.calls))
		}
	}

	return errors.Join(append(errs, t.grown())...)
}

// grown lists the resources that grew by more than the tolerance.
func (t *trend) grown() error {
	var errs []error
	for _, h := range t.resources() {
		if h.second > h.most {
			errs = append(errs, fmt.Errorf("%s grew from %d to %d", h.name, h.first, h.second))
		}
	}

	return errors.Join(errs...)
}

// resource is a resource of the gateway in the first and the second half of the time, with the maximum for the second
// half.
type resource struct {
	name                string
	first, second, most int
}

// resources compares the halves of the lines, without the warm-up.
func (t *trend) resources() []resource {
	warm := t.lines[len(t.lines)/8:]
	first, second := warm[:len(warm)/2], warm[len(warm)/2:]
	compare := func(name string, of func(line) float64, times, more float64) resource {
		before := median(first, of)
		return resource{name, int(before), int(median(second, of)), int(before*times + more)}
	}

	return []resource{
		compare("KiB of memory", func(l line) float64 { return float64(l.resident) }, residentMore, 0),
		compare("goroutines", func(l line) float64 { return float64(l.goroutines) }, 1, goroutinesMore),
		compare("descriptors", func(l line) float64 { return float64(l.descriptors) }, 1, descriptorsMore),
	}
}

// summary describes the gateway's resources in words.
func (t *trend) summary() string {
	if len(t.lines) < minLines-1 {
		return ""
	}

	text := "\n"
	for _, h := range t.resources() {
		text += fmt.Sprintf("%s: %d in the first half, %d in the second, %d at most\n", h.name, h.first,
			h.second, h.most)
	}

	return text
}
