package compat

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// answer is the response to an inquiry in the registry's format, with its metadata.
type answer struct {
	body       []byte
	found      int
	unanswered []string // the companies that could not be asked about, which are in neither list
	retrieved  time.Time
	stale      bool
}

// The envelopes of answers. Version 9 has only the lists.
const (
	bare      = `{`
	enveloped = `{"cod":200,"message":"SUCCESS",`
)

// newAnswer writes the records as the registry sent them, in the order of the inquiry. If dated is true, it replaces
// their days with the requested ones.
func newAnswer(rows []*outcome, envelope string, dated bool) *answer {
	a := &answer{body: append([]byte(envelope), `"found":[`...)}
	now := time.Now()
	for _, o := range rows {
		if o.record == nil {
			continue
		}
		if a.found > 0 {
			a.body = append(a.body, ',')
		}

		record := o.record
		if dated {
			record = withDay(record, o.day.String())
		}

		a.body = append(a.body, record...)
		a.found++

		if a.retrieved.IsZero() || o.RetrievedAt.Before(a.retrieved) {
			a.retrieved = o.RetrievedAt
		}

		a.stale = a.stale || !o.FreshUntil.IsZero() && o.FreshUntil.Before(now)
	}

	a.body = append(a.body, `],"notFound":[`...)
	unknown := 0
	for _, o := range rows {
		number := strconv.FormatInt(o.number, 10)
		switch {
		case o.record != nil:
		case !o.unknown:
			a.unanswered = append(a.unanswered, number)
		default:
			if unknown > 0 {
				a.body = append(a.body, ',')
			}

			a.body = append(a.body, number...)
			unknown++
		}
	}

	a.body = append(a.body, "]}"...)
	return a
}

// status returns 404 if the registry has no requested company, as the registry itself does.
func (a *answer) status() int {
	if a.found == 0 && a.unanswered == nil {
		return http.StatusNotFound
	}
	return http.StatusOK
}

// writeHeader adds the freshness of the answer to the reply's headers only, since the registries' clients do not read
// headers.
func (a *answer) writeHeader(h http.Header) {
	delete(h, "Etag") // it identifies the gateway's own form of the answer
	h["Cache-Control"] = noStore
	if !a.retrieved.IsZero() {
		h["Age"] = []string{strconv.Itoa(int(max(0, time.Since(a.retrieved)) / time.Second))}
	}

	if a.stale {
		h["x-rodata-stale"] = []string{"1"}
	}
	if a.unanswered != nil {
		h["x-rodata-unanswered"] = []string{strings.Join(a.unanswered, ", ")}
	}
}
