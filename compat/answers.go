package compat

import (
	"sync"
	"time"

	"github.com/rodata/rodata/op/problem"
)

const (
	// keptFor is how long an answer waits to be fetched, the same as at the tax authority.
	keptFor = 3 * 24 * time.Hour
	// The limits on the number and the bytes of waiting answers, in total and per caller.
	maxKept           = 10_000
	maxKeptPerCaller  = 100
	maxBytes          = 64 << 20
	maxBytesPerCaller = 8 << 20
	// estimatedRecord is the size in bytes that a company's record is assumed to have until its answer is known.
	estimatedRecord = 3 << 10
)

// Answers stores answers until clients fetch them. They are in memory and outlive the Handler. The zero value is ready
// to use.
type Answers struct {
	mu    sync.Mutex
	kept  map[string]*answerSlot
	bytes int
}

// answerSlot is an answer, or a placeholder for one.
type answerSlot struct {
	owner   any // the bucket of the caller
	expires time.Time
	bytes   int
	answer  *answer
	problem *problem.Problem
}

func (d *answerSlot) isFilled() bool { return d.answer != nil || d.problem != nil }

// reserve reserves a slot for an answer about a number of companies.
func (a *Answers) reserve(owner any, id string, companies int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	now, own, ownBytes := time.Now(), 0, 0
	for id, d := range a.kept {
		if d.isFilled() && now.After(d.expires) {
			a.drop(id)
		} else if d.owner == owner {
			own++
			ownBytes += d.bytes
		}
	}

	bytes := companies * estimatedRecord
	switch {
	case own >= maxKeptPerCaller, ownBytes+bytes > maxBytesPerCaller:
		return busy("%d answers of this caller wait to be fetched; fetch some of them first", own)
	case len(a.kept) >= maxKept, a.bytes+bytes > maxBytes:
		return busy("too many answers wait to be fetched; ask without the asynchronous form, or later")
	}

	if a.kept == nil {
		a.kept = make(map[string]*answerSlot)
	}

	a.kept[id] = &answerSlot{owner: owner, expires: now.Add(keptFor), bytes: bytes}
	a.bytes += bytes
	return nil
}

func busy(format string, args ...any) *problem.Problem {
	return problem.Unavailable.New(format, args...).After(time.Minute)
}

// drop releases a slot. The caller holds the lock.
func (a *Answers) drop(id string) {
	a.bytes -= a.kept[id].bytes
	delete(a.kept, id)
}

// fill puts an answer or a problem into its slot, if it still exists.
func (a *Answers) fill(id string, answer *answer, p *problem.Problem) {
	a.mu.Lock()
	defer a.mu.Unlock()
	d := a.kept[id]
	if d == nil {
		return
	}

	d.answer, d.problem = answer, p
	a.bytes -= d.bytes
	if d.bytes = 0; answer != nil {
		d.bytes = len(answer.body)
	}

	a.bytes += d.bytes
}

// fetch returns an answer and releases its slot. The answer is nil until the look-up has finished. Whoever has the id
// may fetch it: the id cannot be guessed, and clients change their addresses.
func (a *Answers) fetch(id string) (*answer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	d := a.kept[id]
	switch {
	case d == nil, d.isFilled() && time.Now().After(d.expires):
		return nil, problem.NotFound.New("no answer with this id waits; it may have been fetched " +
			"before, or be older than three days")
	case !d.isFilled():
		return nil, nil
	}

	a.drop(id)
	if d.problem != nil {
		return nil, d.problem
	}

	return d.answer, nil
}
