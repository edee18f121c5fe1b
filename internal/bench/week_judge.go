package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
)

// event is something that happens within a week, with the verdict.
type event struct {
	name, happened, want string
	err                  error
}

// count returns an event that must happen at least a number of times.
func count(name string, times, least int) event {
	e := event{name: name, happened: fmt.Sprint(times), want: fmt.Sprintf("%d or more", least)}
	if times < least {
		e.err = fmt.Errorf("%s: %d, expected %d or more", name, times, least)
	}
	return e
}

// printEvents prints the table, and returns the errors.
func printEvents(events []event) error {
	var errs []error
	fmt.Println()
	printHeader("event", "happened", "expected", "verdict")
	for _, e := range events {
		verdict := "holds"
		if e.err != nil {
			verdict = "**does not hold**"
			errs = append(errs, e.err)
		}

		fmt.Printf("| %s | %s | %s | %s |\n", e.name, e.happened, e.want, verdict)
	}

	return errors.Join(errs...)
}

// judge stops the gateway, and compares what happened with what was due.
func (w *week) judge(ctx context.Context) error {
	releases, err := w.releases()
	if err != nil {
		return err
	}

	off, err := w.clockOff()
	if err != nil {
		return err
	}
	if err := w.server.stop(); err != nil {
		return err
	}

	books, err := w.booked(ctx)
	if err != nil {
		return err
	}

	partitions, err := w.partitions(ctx)
	if err != nil {
		return err
	}

	events := []event{judgeClock(off), w.judgeAnswers()}
	events = append(events, w.judgeRegistries(releases)...)
	events = append(events, w.judgeCertificates()...)
	events = append(events, w.judgeCredits(books)...)

	dropped, err := judgePartitions(w.before, partitions, w.end)
	events = append(events, event{"months of charges dropped",
		fmt.Sprint(len(dropped)) + ": " + strings.Join(dropped, ", "), "those that have passed", err})
	events = append(events, w.judgeLogs()...)
	events = append(events, event{name: "reloads", happened: fmt.Sprint(w.reloaded.Load()), want: "-"})
	events = append(events, w.growth()...)
	return errors.Join(printEvents(events), w.explain())
}

// clockOff returns how far the gateway's clock, according to one of its answers, is ahead of the clock.
func (w *week) clockOff() (time.Duration, error) {
	body, err := w.probe("/v1/status")
	if err != nil {
		return 0, err
	}

	var status struct{ Timestamp time.Time }
	err = json.Unmarshal(body, &status)
	return status.Timestamp.Sub(w.now()), err
}

// clockPrecision is the largest accepted difference between the clocks. They are read up to half a second apart.
const clockPrecision = 2 * time.Minute

func judgeClock(off time.Duration) event {
	e := event{name: "the gateway's clock at the end", happened: off.Round(time.Second).String() + " off",
		want: clockPrecision.String() + " at most"}
	if off.Abs() > clockPrecision {
		e.err = fmt.Errorf("the gateway's clock is %s off", off)
	}
	return e
}

// growth compares memory, goroutines and descriptors in the halves of the time.
func (w *week) growth() (events []event) {
	if len(w.lines) < minLines-1 {
		return nil
	}

	for _, h := range w.resources() {
		e := event{name: h.name, happened: fmt.Sprintf("%d, then %d", h.first, h.second),
			want: fmt.Sprintf("then %d at most", h.most)}
		if h.second > h.most {
			e.err = fmt.Errorf("%s grew from %d to %d", h.name, h.first, h.second)
		}

		events = append(events, e)
	}

	return append(events, event{"counters and cache",
		fmt.Sprintf("%d calls, %d misses", w.last().answered, w.last().missed),
		"counters do not decrease, at most 1 % misses", w.trend.verdict()})
}

func (w *week) judgeAnswers() event {
	return event{"answers", fmt.Sprintf("%d: %d wrong, %d not 200; %d requests sent again",
		w.answered.Load(), w.wrong, w.checker.refused, w.allResent()), "0 wrong, 0 not 200", w.checker.verdict()}
}

// allResent returns the number of requests that were sent again, including those after the last printed line.
func (w *week) allResent() int64 {
	n := w.resent.Load()
	for _, l := range w.lines {
		n += l.resent
	}
	return n
}

// judgeRegistries checks the refreshes of companies, the fixings and the trade register's releases.
func (w *week) judgeRegistries(releases []api.Date) []event {
	days := int(w.end.Sub(w.start).Hours() / 24)
	events := []event{
		count("looks at the company looked up least often", w.refreshes.fewest(), days),
		count("fixings published and served", len(w.bank.served), len(w.bank.published)),
	}
	events[0].happened += fmt.Sprintf("; the oldest answer %s old, %d marked as stale",
		w.refreshes.oldest.Round(time.Minute), w.refreshes.stale)
	lag := event{name: "longest time until a fixing was served", happened: w.bank.longest.Round(time.Second).String(),
		want: fixingWithin.String() + " at most"}
	if w.bank.longest > fixingWithin {
		lag.err = fmt.Errorf("for %s the gateway did not serve the newest fixing", w.bank.longest)
	}

	want := []api.Date{releaseOf(w.start)}
	if w.end.After(w.published.Add(releaseWithin)) {
		want = append(want, releaseOf(w.end))
	}

	slices.Sort(releases)
	release := event{name: "releases of the trade register",
		happened: fmt.Sprintf("%v; the second one changes %d answers",
			releases, len(w.checker.differences(w.after.truth))), want: fmt.Sprint(want)}
	if !slices.Equal(releases, want) {
		release.err = fmt.Errorf("the gateway offers the releases %v, expected %v", releases, want)
	}

	return append(events, lag, release)
}

// releaseOf returns the date of the newest complete release at a time.
func releaseOf(t time.Time) api.Date {
	year, month, _ := t.AddDate(0, 0, -3).Date()
	return api.NewDate(year, month-1, 2)
}

// releases returns the dates of the releases that the gateway offers.
func (w *week) releases() (dates []api.Date, err error) {
	body, err := w.probe("/v1/releases")
	if err != nil {
		return nil, err
	}

	var list struct{ Releases []api.Release }
	err = json.Unmarshal(body, &list)
	for _, r := range list.Releases {
		dates = append(dates, r.Date)
	}

	return dates, err
}

// Lifetimes of Caddy's internal issuer.
const (
	leafLife   = 12 * time.Hour
	issuerLife = 7 * 24 * time.Hour
)

func (w *week) judgeCertificates() []event {
	c := w.certificates
	passed := w.end.Sub(w.start)
	verified := event{name: "connections whose certificates were verified",
		happened: fmt.Sprintf("%d, and %d refused", c.connections, c.refused), want: "0 refused"}
	if c.refused > 0 || c.connections == 0 {
		verified.err = fmt.Errorf("%d connections had valid certificates, %d invalid ones: %w",
			c.connections, c.refused, c.example)
	}

	return []event{
		verified,
		count("certificates of the site", len(c.leaves), 1+int(passed/leafLife)),
		count("certificates of the issuer", len(c.issuers), 1+int(passed/issuerLife)),
	}
}

// judgeCredits checks the charges of all months, and that credits are renewed when a month begins.
func (w *week) judgeCredits(books []booked) []event {
	made, seen, open, err := w.audit(books)
	var months []string
	for _, b := range books {
		months = append(months, b.month)
	}

	slices.Sort(months)
	months = slices.Compact(months)
	return []event{
		{"charges", fmt.Sprintf("%d made, %d seen by callers, %d unknown, in %s", made, seen, open,
			strings.Join(months, " and ")), "as many made as seen, and at most the unknown ones more", err},
		count("spent credits renewed by a new month", w.spender.renewals,
			w.spender.spentBefore(monthOf(w.end))),
	}
}

// rotatedAt is the size at which the access log is rotated.
const rotatedAt = 1 << 20

func (w *week) judgeLogs() []event {
	log, err := readAccessLog(w.accessLog)
	lines, answers := int64(log.lines-w.logged.lines), w.answered.Load()
	access := event{"lines of the access log",
		fmt.Sprintf("%d for %d answers and %d requests", lines, answers, w.sent.Load()), "no fewer than answers", err}
	if lines < answers && err == nil {
		access.err = fmt.Errorf("the access log has %d lines for %d answers", lines, answers)
	}

	return []event{count("rotations of the access log", log.rotations, log.bytes/rotatedAt), access}
}

// explain prints the messages of the gateway's log whose level is not info.
func (w *week) explain() error {
	messages, err := readLog(filepath.Join(w.folder, "week.log"))
	if err != nil {
		return err
	}

	fmt.Println()
	printHeader("level", "message", "times", "example")
	for _, m := range messages {
		if m.level != "info" {
			fmt.Printf("| %s | %s | %d | `%.300s` |\n", m.level, m.text, m.times, m.example)
		}
	}

	return nil
}
