package api

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/metering"
)

// Reply is what the gateway answers to a call, whatever the channel: either a
// document or a problem, and the facts that its headers (in REST) or its _meta
// (in MCP) are made of.
type Reply struct {
	// Status is the HTTP status; 304 when the caller has the document already.
	Status   int
	Document *Document
	Problem  *Problem // not nil when Status is 400 or more
	// Private says that the answer is for this caller alone.
	Private bool
	// Allowance is the state of the caller's bucket; its Rate is zero when the
	// call did not get as far, or is not limited.
	Allowance metering.Allowance
	// Cost is what was charged, in credits.
	Cost int
	// Credits are what is left of the month's; negative when that has no
	// meaning: for anonymous callers and plans without a limit.
	Credits int64
	Freshness
}

// RetrySeconds is the advice of the Retry-After header; 0 is none.
func (r *Reply) RetrySeconds() int {
	if r.Problem == nil {
		return 0
	}
	return r.Problem.RetrySeconds()
}

// Age is how many seconds ago the oldest fact of the answer was retrieved.
func (r *Reply) Age(now time.Time) int {
	return int(max(0, now.Sub(r.RetrievedAt)) / time.Second)
}

// WriteHeader puts the reply's facts into a response header, but for those of
// the body. The names keep the case of the contract.
func (r *Reply) WriteHeader(h http.Header, now time.Time) {
	if rate := r.Allowance.Rate; rate.PerSecond > 0 {
		h["RateLimit-Limit"] = number(rate.PerSecond)
		h["RateLimit-Remaining"] = number(r.Allowance.Remaining)
	}
	h["x-credits-cost"] = number(r.Cost)
	if r.Credits >= 0 {
		h["x-credits-remaining"] = number(int(r.Credits))
	}
	if r.Problem != nil {
		r.writeProblemHeader(h)
		return
	}
	if r.Cache == Hit {
		h["x-cache"] = hitValue
	} else if r.Cache == Miss {
		h["x-cache"] = missValue
	}
	if r.Document != nil {
		h["Etag"] = r.Document.tagValue
	}
	h["Cache-Control"] = r.cacheControl(now)
	if !r.RetrievedAt.IsZero() {
		r.writeAge(h, now)
	}
}

func (r *Reply) writeProblemHeader(h http.Header) {
	h["Cache-Control"] = noStore
	if s := r.RetrySeconds(); s > 0 {
		h["Retry-After"] = number(s)
	}
	if r.Status == http.StatusUnauthorized {
		h["Www-Authenticate"] = bearer
	}
}

// writeAge adds Age and Cache-Status (RFC 9211).
func (r *Reply) writeAge(h http.Header, now time.Time) {
	age, ttl := r.Age(now), int(r.FreshUntil.Sub(now)/time.Second)
	stamp := r.Document.stamp.Load()
	if stamp == nil || stamp.age != age || stamp.ttl != ttl || stamp.cache != r.Cache {
		stamp = newStamp(age, ttl, r.Cache)
		r.Document.stamp.Store(stamp)
	}
	h["Age"], h["Cache-Status"] = stamp.ageValue, stamp.statusValue
}

// stamp keeps the age headers of a document, which change once a second, for
// all the calls of that second.
type stamp struct {
	age, ttl              int
	cache                 string
	ageValue, statusValue []string
}

func newStamp(age, ttl int, cache string) *stamp {
	s := &stamp{age: age, ttl: ttl, cache: cache, ageValue: []string{strconv.Itoa(age)}}
	status := "rodata; fwd=miss; stored"
	if cache == Hit {
		status = "rodata; hit; ttl=" + strconv.Itoa(ttl)
	}
	if ttl < 0 {
		status += "; detail=stale"
	}
	s.statusValue = []string{status}
	return s
}

// cacheControl says how long a client may keep the answer: never beyond the
// moment at which the facts are due for renewal.
func (r *Reply) cacheControl(now time.Time) []string {
	keep := r.MaxAge
	if !r.FreshUntil.IsZero() {
		keep = min(keep, r.FreshUntil.Sub(now))
	}
	seconds := int(keep / time.Second)
	switch {
	case seconds <= 0:
		return noCache
	case r.Private && seconds == 300:
		return private300
	case r.Private:
		return []string{"private, max-age=" + strconv.Itoa(seconds)}
	case seconds == 86400:
		return publicDay
	}
	return []string{"public, max-age=" + strconv.Itoa(seconds)}
}

// Header values that are the same in every answer: shared, never changed.
var (
	hitValue   = []string{Hit}
	missValue  = []string{Miss}
	noCache    = []string{"no-cache"}
	noStore    = []string{"no-store"}
	private300 = []string{"private, max-age=300"}
	publicDay  = []string{"public, max-age=86400, stale-if-error=86400"}
	bearer     = []string{`Bearer error="invalid_token"`}
	numbers    = makeNumbers()
)

func makeNumbers() (values [1024][]string) {
	for i := range values {
		values[i] = []string{strconv.Itoa(i)}
	}
	return values
}

func number(n int) []string {
	if n >= 0 && n < len(numbers) {
		return numbers[n]
	}
	return []string{strconv.Itoa(n)}
}

// matches reports whether an If-None-Match header names an entity tag, by the
// weak comparison of RFC 9110, section 13.1.2.
func matches(ifNoneMatch, tag string) bool {
	if strings.TrimSpace(ifNoneMatch) == "*" {
		return true
	}
	tag = strings.TrimPrefix(tag, "W/")
	for candidate := range strings.SplitSeq(ifNoneMatch, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		// An encoder marks the tags of what it compressed: "tag" becomes "tag-gzip".
		if candidate == tag || strings.HasPrefix(candidate, strings.TrimSuffix(tag, `"`)+"-") {
			return true
		}
	}
	return false
}
