package ration

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/anaf"
)

// quarantineFor is the time for which a number that failed a batch is requested alone.
const quarantineFor = 10 * time.Minute

// bisector finds poison: numbers that make every call with them fail. When a batch is answered with an error, its
// requests become a group of suspects. A probe requests half of them. Its outcome shows in which half to continue, and
// the other half is cleared. The last suspect goes into quarantine. So the other 99 companies of a batch are answered
// within ten calls.
//
// A batch that times out is requested once more and never halved, because each step would take as long. Its second call
// includes no companies of other callers. A single company is not requested again, because its caller has waited long
// enough.
type bisector struct {
	groups     []group
	healthy    bool // a call succeeded since the last ordinary batch that failed
	quarantine map[ro.CompanyDay]time.Time
}

// group is the suspects of one failed batch.
type group struct {
	suspects []*request
	// certain is false after a single failure, which may be accidental. The second half is then requested even if the
	// first half succeeds.
	certain bool
	// whole means that all suspects are requested once more before they are halved.
	whole bool
	// apart means that the call contains no other requests.
	apart bool
}

// decision says what happens to the requests of a finished batch.
type decision struct {
	again []*request // cleared: an ordinary batch requests them
	alone []*request // quarantined
	final []*request // they fail
	split bool       // the batch became a group of suspects
}

// next returns the next probe, to which other requests can be added. It removes the suspects from the bisector until
// the probe has ended.
func (s *bisector) next() batch {
	g := s.groups[0]
	s.groups = s.groups[1:]
	b := batch{probe: g.suspects, certain: g.certain, excused: s.healthy, apart: g.apart}
	if !g.whole {
		half := (len(g.suspects) + 1) / 2
		b.probe, b.rest = g.suspects[:half:half], g.suspects[half:]
	}

	return b
}

// afterSuccess evaluates a successful batch. If it was a probe and its group contains poison, the poison is in the
// rest.
func (s *bisector) afterSuccess(b batch, now time.Time) (d decision) {
	s.healthy = true
	for _, r := range b.requests() {
		delete(s.quarantine, r.company)
	}

	if len(b.rest) > 0 {
		d.alone = s.narrow(group{suspects: b.rest, certain: b.certain, whole: !b.certain}, now)
	}

	return d
}

// afterFailure evaluates a failed batch. Its requests ahead are not requested again.
func (s *bisector) afterFailure(b batch, err error, now time.Time) (d decision) {
	b.others, d.final = partition(b.others, func(r *request) bool { return r.priority != ahead })
	aheads := len(d.final)
	if b.len() == 0 {
		return d
	}
	if b.ordinary() && !errors.Is(err, context.Canceled) { // inconclusive
		s.healthy = false
	}

	rejected := errors.Is(err, upstream.ErrRejected)
	switch {
	case isTimeout(err):
		d.again = b.rest
		patient, others := partition(b.requests(), func(r *request) bool {
			return b.len() > 1 && r.hung == nil && now.Before(r.until)
		})
		d.final = append(d.final, others...)
		s.repeat(patient, err)
	case !anaf.Blames(err):
		d.again = b.rest
		d.final = append(d.final, b.requests()...)
	case aheads > 0: // one of these may be the poison: the others get a call without them
		s.groups = append(s.groups, group{suspects: b.others, whole: true})
	case b.len() == 1 && b.ordinary() && errors.Is(err, upstream.ErrConnection):
		// some connections are reset for no reason
		d.alone = s.narrow(group{suspects: b.others, whole: true}, now)
	case b.len() == 1:
		d.again, d.final = b.rest, b.requests()
		if rejected || b.excused {
			s.isolate(d.final[0].company, now)
		}
	case b.ordinary():
		d.split = true
		s.groups = append(s.groups, group{suspects: b.others, certain: rejected})
	default:
		d.again = slices.Concat(b.rest, b.others)
		d.alone = s.narrow(group{suspects: b.probe, certain: true}, now)
	}

	return d
}

// narrow continues with a non-empty part of a group. If a single suspect is left and certainly poison, it returns that
// suspect.
func (s *bisector) narrow(g group, now time.Time) []*request {
	if len(g.suspects) == 1 && g.certain {
		s.isolate(g.suspects[0].company, now)
		return g.suspects
	}

	s.groups = slices.Insert(s.groups, 0, g)
	return nil
}

// repeat requests a timed-out batch once more.
func (s *bisector) repeat(requests []*request, err error) {
	for _, r := range requests {
		r.hung = err
	}
	if len(requests) > 0 {
		s.groups = append(s.groups, group{suspects: requests, whole: true, apart: true})
	}
}

// isolate quarantines a company on its day. The quarantine stays small, since there is at most one call a second.
func (s *bisector) isolate(company ro.CompanyDay, now time.Time) {
	maps.DeleteFunc(s.quarantine, func(_ ro.CompanyDay, until time.Time) bool { return now.After(until) })
	if s.quarantine == nil {
		s.quarantine = map[ro.CompanyDay]time.Time{}
	}

	s.quarantine[company] = now.Add(quarantineFor)
}

func (s *bisector) isQuarantined(company ro.CompanyDay, now time.Time) bool {
	return now.Before(s.quarantine[company])
}

// remove removes a request from the suspects, if it is one.
func (s *bisector) remove(r *request) {
	for i := range s.groups {
		s.groups[i].suspects = slices.DeleteFunc(s.groups[i].suspects, func(other *request) bool { return other == r })
	}

	s.groups = slices.DeleteFunc(s.groups, func(g group) bool { return len(g.suspects) == 0 })
}

// all iterates over the suspects outside of running probes.
func (s *bisector) all() iter.Seq[*request] {
	return func(yield func(*request) bool) {
		for _, g := range s.groups {
			for _, r := range g.suspects {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// len returns the number of suspects outside of running probes.
func (s *bisector) len() (n int) {
	for range s.all() {
		n++
	}
	return n
}

func partition(all []*request, first func(*request) bool) (yes, no []*request) {
	for _, r := range all {
		if first(r) {
			yes = append(yes, r)
		} else {
			no = append(no, r)
		}
	}

	return yes, no
}

// isTimeout reports whether the registry did not answer a call in time.
func isTimeout(err error) bool {
	f, ok := errors.AsType[*op.Failure](err)
	return ok && f.Kind == op.TimedOut
}
