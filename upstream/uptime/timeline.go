package uptime

import (
	"maps"
	"slices"
	"time"

	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/ro"
)

// The states of a registry, as in the status.
const (
	ok      = "ok"
	stale   = "stale"
	down    = "down"
	unknown = "unknown"
)

// maxIncidents is the maximum number of incidents kept per registry.
const maxIncidents = 50

// timeline is everything recorded, in the format of the file.
type timeline struct {
	// Through is the end of the recorded time. Time before it is not counted again.
	Through time.Time          `json:"through"`
	Sources map[string]*source `json:"sources"`
}

// source is the timeline of one registry.
type source struct {
	Days      map[ro.Date]durations `json:"days"`
	Incidents []system.Incident     `json:"incidents"` // newest last, possibly ongoing

	// unasked is true while the registry's state is unknown: no time is counted.
	unasked bool
}

// durations are the durations of a registry's states on a day.
type durations struct {
	OK    time.Duration `json:"ok"` // nanoseconds in the file
	Stale time.Duration `json:"stale"`
	Down  time.Duration `json:"down"`
}

func dayOf(t time.Time) ro.Date { return ro.DateIn(t, time.UTC) }

// source returns the timeline of a registry, creating it if necessary.
func (t *timeline) source(name string) *source {
	s := t.Sources[name]
	if s == nil {
		if t.Sources == nil {
			t.Sources = make(map[string]*source)
		}

		s = &source{Days: make(map[ro.Date]durations)}
		t.Sources[name] = s
	}

	return s
}

// advance counts the time between two moments for the last recorded states, except time that was already counted.
// Ongoing incidents end at the start of a gap, because it is unknown whether they continued.
func (t *timeline) advance(from, to time.Time) {
	if dayOf(t.Through) > dayOf(to) {
		t.forgetAfter(dayOf(to))
	}

	if from.Sub(t.Through) > longestGap {
		for _, s := range t.Sources {
			s.end(t.Through)
		}
	}

	if from.Before(t.Through) {
		from = t.Through
	}

	for from.Before(to) {
		end := (dayOf(from) + 1).UTC()
		if to.Before(end) {
			end = to
		}

		for _, s := range t.Sources {
			s.count(dayOf(from), end.Sub(from))
		}

		from = end
	}

	if to.After(t.Through) {
		t.Through = to
	}
}

// forgetAfter drops the days after a given one, which are in the future now because the clock was set back. On the
// given day, time that was already counted cannot be told from time yet to come, so no more of that day is counted.
func (t *timeline) forgetAfter(last ro.Date) {
	midnight := (last + 1).UTC()
	t.Through = midnight
	for _, s := range t.Sources {
		maps.DeleteFunc(s.Days, func(day ro.Date, _ durations) bool { return day > last })
		s.Incidents = slices.DeleteFunc(s.Incidents, func(i system.Incident) bool { return i.From.After(midnight) })
		for i := range s.Incidents {
			if to := s.Incidents[i].To; to != nil && to.After(midnight) {
				s.Incidents[i].To = &midnight
			}
		}
	}
}

// state returns the last recorded state.
func (s *source) state() string {
	if n := len(s.Incidents); n > 0 && s.Incidents[n-1].To == nil {
		return s.Incidents[n-1].State
	}
	return ok
}

// note records the state at a time. During a half-open probe, the previous state continues. An incident ends when the
// state becomes unknown.
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

	s.Incidents = append(s.Incidents, system.Incident{From: at, State: state})
	s.Incidents = slices.Delete(s.Incidents, 0, max(0, len(s.Incidents)-maxIncidents))
}

// end ends the ongoing incident, if any.
func (s *source) end(at time.Time) {
	if s.state() != ok {
		s.Incidents[len(s.Incidents)-1].To = &at
	}
}

// count adds to the durations of a day. It bounds the number of days rather than their age, so that a wrong clock does
// not delete them all.
func (s *source) count(day ro.Date, elapsed time.Duration) {
	d := s.Days[day]
	switch state := s.state(); {
	case s.unasked:
	case state == ok:
		d.OK += elapsed
	case state == stale:
		d.Stale += elapsed
	case state == down:
		d.Down += elapsed
	}

	s.Days[day] = d
	if len(s.Days) > system.MaxHistoryDays {
		delete(s.Days, slices.Min(slices.Collect(maps.Keys(s.Days))))
	}
}

// view returns the n days up to today.
func (s *source) view(name string, today ro.Date, n int, through time.Time) system.SourceHistory {
	v := system.SourceHistory{Name: name, Days: make([]system.StatusDay, 0, n), Incidents: []system.Incident{}}
	first := today - ro.Date(n) + 1
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
			i.To = new(i.To.Truncate(time.Second))
		}

		v.Incidents = append(v.Incidents, i)
	}

	return v
}

// view returns the durations in whole seconds, which add up to the length of the day. To ensure that, it rounds running
// sums instead of the parts.
func (d durations) view(day ro.Date, length time.Duration) system.StatusDay {
	seconds := func(t time.Duration) int64 { return int64(t / time.Second) }
	toDown, toStale, toOK := seconds(d.Down), seconds(d.Down+d.Stale), seconds(d.Down+d.Stale+d.OK)
	return system.StatusDay{Date: day, Down: toDown, Stale: toStale - toDown, OK: toOK - toStale,
		Unknown: seconds(length) - toOK}
}
