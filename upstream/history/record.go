package history

import (
	"maps"
	"slices"
	"time"

	"github.com/rodata/rodata/api"
)

// The states of a registry, as the status has them.
const (
	ok      = "ok"
	stale   = "stale"
	down    = "down"
	unknown = "unknown"
)

// maxIncidents is how many incidents of a registry are kept.
const maxIncidents = 50

// record is all that is known, and the form of the file.
type record struct {
	// Through is until when it is known; what lies before is not counted again.
	Through time.Time          `json:"through"`
	Sources map[string]*source `json:"sources"`
}

// source is what is known of one registry.
type source struct {
	Days      map[api.Date]tally `json:"days"`
	Incidents []api.Incident     `json:"incidents"` // the newest last; it may last still

	// unasked says that nothing is known of the registry yet: no time is counted.
	unasked bool
}

// tally is for how long a registry was in each state on a day.
type tally struct {
	OK    time.Duration `json:"ok"` // nanoseconds in the file
	Stale time.Duration `json:"stale"`
	Down  time.Duration `json:"down"`
}

func dayOf(t time.Time) api.Date { return api.DateIn(t, time.UTC) }

// source is the record of one registry, which begins when it is asked for first.
func (r *record) source(name string) *source {
	s := r.Sources[name]
	if s == nil {
		if r.Sources == nil {
			r.Sources = make(map[string]*source)
		}
		s = &source{Days: make(map[api.Date]tally)}
		r.Sources[name] = s
	}
	return s
}

// pass counts the time from one moment to another for the states that were noted
// last, but for what has been counted. When there is a gap before it, nobody knows
// whether what was wrong went on meanwhile: it ends where the gap begins.
func (r *record) pass(from, to time.Time) {
	if dayOf(r.Through) > dayOf(to) {
		r.forgetAfter(dayOf(to))
	}
	if from.Sub(r.Through) > longestGap {
		for _, s := range r.Sources {
			s.end(r.Through)
		}
	}
	if from.Before(r.Through) {
		from = r.Through
	}
	for from.Before(to) {
		end := (dayOf(from) + 1).UTC()
		if to.Before(end) {
			end = to
		}
		for _, s := range r.Sources {
			s.count(dayOf(from), end.Sub(from))
		}
		from = end
	}
	if to.After(r.Through) {
		r.Through = to
	}
}

// forgetAfter drops the days after one, which are yet to come: the clock has been
// set back. How much of the day itself was counted before, and how much is to
// come, cannot be told apart; nothing more of it is counted.
func (r *record) forgetAfter(last api.Date) {
	midnight := (last + 1).UTC()
	r.Through = midnight
	for _, s := range r.Sources {
		maps.DeleteFunc(s.Days, func(day api.Date, _ tally) bool { return day > last })
		s.Incidents = slices.DeleteFunc(s.Incidents, func(i api.Incident) bool { return i.From.After(midnight) })
		for i := range s.Incidents {
			if to := s.Incidents[i].To; to != nil && to.After(midnight) {
				s.Incidents[i].To = &midnight
			}
		}
	}
}

// state is the one that was noted last.
func (s *source) state() string {
	if n := len(s.Incidents); n > 0 && s.Incidents[n-1].To == nil {
		return s.Incidents[n-1].State
	}
	return ok
}

// note takes down the state at a moment. While the registry is tried again after
// failures, it is as it was. An incident ends where nothing is known any more.
func (s *source) note(at time.Time, state string, tried bool) {
	before := s.state()
	if tried && before != ok {
		return
	}
	if s.unasked = state == unknown; state == before {
		return
	}
	s.end(at)
	if state == ok || state == unknown {
		return
	}
	s.Incidents = append(s.Incidents, api.Incident{From: at, State: state})
	s.Incidents = slices.Delete(s.Incidents, 0, max(0, len(s.Incidents)-maxIncidents))
}

// end ends the incident that lasts, if there is one.
func (s *source) end(at time.Time) {
	if s.state() != ok {
		s.Incidents[len(s.Incidents)-1].To = &at
	}
}

// count adds to the tally of a day. Days are kept by their number, not by their
// age, so that a clock which is wrong for a moment does not clear them all away.
func (s *source) count(day api.Date, d time.Duration) {
	t := s.Days[day]
	switch state := s.state(); {
	case s.unasked:
	case state == ok:
		t.OK += d
	case state == stale:
		t.Stale += d
	case state == down:
		t.Down += d
	}
	s.Days[day] = t
	if len(s.Days) > api.MaxHistoryDays {
		delete(s.Days, slices.Min(slices.Collect(maps.Keys(s.Days))))
	}
}

// view is the n days up to today.
func (s *source) view(name string, today api.Date, n int, through time.Time) api.SourceHistory {
	v := api.SourceHistory{Name: name, Days: make([]api.StatusDay, 0, n), Incidents: []api.Incident{}}
	first := today - api.Date(n) + 1
	for day := first; day <= today; day++ {
		length := max(0, min(24*time.Hour, through.Sub(day.UTC())))
		v.Days = append(v.Days, s.Days[day].view(day, length))
	}
	for _, i := range slices.Backward(s.Incidents) {
		if i.To != nil && !i.To.After(first.UTC()) {
			break
		}
		i.From = i.From.Truncate(time.Second)
		if i.To != nil {
			to := i.To.Truncate(time.Second)
			i.To = &to
		}
		v.Incidents = append(v.Incidents, i)
	}
	return v
}

// view is the tally in whole seconds, which add up to the length of the day: sums
// are rounded, not parts.
func (t tally) view(day api.Date, length time.Duration) api.StatusDay {
	seconds := func(d time.Duration) int64 { return int64(d / time.Second) }
	toDown, toStale, toOK := seconds(t.Down), seconds(t.Down+t.Stale), seconds(t.Down+t.Stale+t.OK)
	return api.StatusDay{Date: day, Down: toDown, Stale: toStale - toDown, OK: toOK - toStale, Unknown: seconds(length) - toOK}
}
