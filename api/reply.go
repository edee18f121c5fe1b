package api

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/metering"
)

// Reply is the gateway's answer to a call in any channel: a document or a problem, with the metadata that REST sends
// as headers and MCP sends in _meta.
type Reply struct {
	// Status is the HTTP status; 304 if the caller already has the document.
	Status int
	// Document is the body. It is nil if there is a Problem or the status is 204.
	Document *Document
	Problem  *problem.Problem // not nil if Status is 400 or more
	// Private means that shared caches must not store the answer, because it was charged or its headers describe the
	// caller's account.
	Private bool
	// Shared means that callers without a key get the same document in an answer that shared caches may store. Such
	// answers vary by key: a cache must not use them for a request with a key, since the key may be invalid or over
	// its limit, and must not update them from a 304 for such a request.
	Shared bool
	// Personal means that the answer is about the caller's account and must not be stored by any cache.
	Personal bool
	// Allowance is the state of the caller's token bucket. Its rate is zero if the call was not rate limited or failed
	// earlier.
	Allowance metering.Allowance
	// Policy describes the rate limit of Allowance in headers. It is nil if the limit has no name.
	Policy *Policy
	// Quota is the state of the daily allowance that the call counted against. Its Limit is 0 if there is no daily
	// allowance.
	Quota     metering.Quota
	quotaName string
	// Cost is the charge, in credits.
	Cost int
	// Credits is the number of credits left this month. It is negative for anonymous callers and for plans without a
	// limit.
	Credits int64
	// Duration is the time from the call's arrival to its answer.
	Duration time.Duration
	// Found is the number of rows found, for an answer given row by row, and Hits is how many of them came from the
	// cache.
	Hits, Found int
	// Next is the value of the parameter "after" for the next part of an export. It is empty at the end of the export.
	Next string
	// Location is the path of the resource that the call created; empty if it created none.
	Location string
	Freshness

	arrival        time.Time // of the call
	media, baseURL string    // of the call: see Renderer
	free           bool      // see Answer.Free
	status         int       // see Answer.Status
}

// Public reports whether shared caches, such as a CDN, may store the answer. Problems, empty answers, charged answers
// and answers about an account are not public.
func (r *Reply) Public() bool {
	return r.Problem == nil && r.Document != nil && !r.Personal && !r.Private
}

// RetrySeconds returns the value of the Retry-After header in seconds, or 0 if the reply has no such header.
func (r *Reply) RetrySeconds() int {
	if r.Problem == nil {
		return 0
	}
	return r.Problem.RetrySeconds()
}

// Age returns the age of the answer's oldest fact, in seconds.
func (r *Reply) Age(now time.Time) int {
	return int(max(0, now.Sub(r.RetrievedAt)) / time.Second)
}

// staleBy returns how long ago the answer became stale, or 0 if it is fresh.
func (r *Reply) staleBy(at time.Time) time.Duration {
	if r.FreshUntil.IsZero() || at.Before(r.FreshUntil) {
		return 0
	}
	return at.Sub(r.FreshUntil)
}

// WriteHeader sets the HTTP headers of the reply, except Content-Type, Content-Length and other headers of the body.
// Some names, such as x-cache, are lower case in the contract and therefore not in canonical form in h.
func (r *Reply) WriteHeader(h http.Header) {
	r.WriteFacts(h)
	if r.Problem != nil {
		h["Cache-Control"] = noStore
		r.writeChallenge(h)
		return
	}

	if r.Location != "" {
		h["Location"] = []string{r.Location}
	}
	if r.Personal || r.Document == nil {
		h["Cache-Control"] = noStore
		return
	}

	if r.Document.tagValue != nil {
		h["Etag"] = r.Document.tagValue
	}
	if r.Shared {
		varyBy(h, varyKey)
	}

	r.writeFreshness(h)
}

// WriteFacts sets the headers that MCP also reports, in _meta: the rate limit, credits, Retry-After, and whether the
// answer came from the cache.
func (r *Reply) WriteFacts(h http.Header) {
	if rate := r.Allowance.Rate; rate.N > 0 {
		h["RateLimit-Limit"] = number(rate.N)
		h["RateLimit-Remaining"] = number(r.Allowance.Remaining)
	}

	if r.Policy != nil {
		h["RateLimit-Policy"] = r.Policy.value
		h["RateLimit"] = r.Policy.state(r.Allowance.Remaining)
		if r.Quota.Limit > 0 {
			h["RateLimit-Policy"] = []string{r.Policy.value[0] + r.quotaPolicy()}
			h["RateLimit"] = []string{h["RateLimit"][0] + r.quotaState()}
		}
	}

	h["x-credits-cost"] = number(r.Cost)
	if r.Credits >= 0 {
		h["x-credits-remaining"] = number(int(r.Credits))
	}
	if s := r.RetrySeconds(); s > 0 {
		h["Retry-After"] = number(s)
	}
	if r.Problem != nil || r.Personal || r.Document == nil {
		return
	}

	if r.Cache == Hit {
		h["x-cache"] = hitValue
	} else if r.Cache == Miss {
		h["x-cache"] = missValue
	}
}

// varyBy adds names to the Vary header.
func varyBy(h http.Header, names []string) {
	if h["Vary"] == nil {
		h["Vary"] = names
		return
	}

	h["Vary"] = append(h["Vary"], names...)
}

// writeChallenge adds the header WWW-Authenticate to a 401.
func (r *Reply) writeChallenge(h http.Header) {
	if r.Status == http.StatusUnauthorized {
		h["Www-Authenticate"] = bearer
		if r.Problem.RefusesKey {
			h["Www-Authenticate"] = refusedBearer
		}
	}
}

// writeFreshness sets Cache-Control. If the answer has data from a registry, it also sets Age and Cache-Status (RFC
// 9211).
func (r *Reply) writeFreshness(h http.Header) {
	stamp := r.Document.stamp.Load()
	if stamp == nil || !stamp.holds(r) {
		stamp = newStamp(r)
		r.Document.stamp.Store(stamp)
	}

	h["Cache-Control"] = stamp.control
	if r.Cache != "" {
		h["Cache-Status"] = stamp.status
	}
	if r.Found > 0 {
		h["Cache-Status"] = []string{fmt.Sprintf("%s; detail=\"%d of %d from the cache\"", stamp.status[0],
			r.Hits, r.Found)}
	}
	if stamp.age != nil {
		h["Age"] = stamp.age
	}
}

// stamp caches the freshness headers of a document, for about a second.
type stamp struct {
	Freshness
	private              bool
	from, until          time.Time
	control, status, age []string // header values; age is nil for an answer without data from a registry
}

// newStamp creates the freshness headers of a reply. Their values are in whole seconds, so they stay valid until the
// age or the remaining lifetime changes by a second.
func newStamp(r *Reply) *stamp {
	now := r.arrival.Add(r.Duration)
	s := &stamp{Freshness: r.Freshness, private: r.Private, from: now, until: now.Add(time.Second)}
	keep, age, ttl := r.MaxAge, 0, 0
	if !r.RetrievedAt.IsZero() {
		age = r.Age(now)
		s.age = number(age)
		s.endBy(r.RetrievedAt.Add(time.Duration(age+1) * time.Second))
	}

	if !r.FreshUntil.IsZero() {
		left := r.FreshUntil.Sub(now)
		// Rounding down makes the ttl negative as soon as the lifetime has ended.
		keep, ttl = min(keep, left), int(math.Floor(left.Seconds()))
		s.endBy(r.FreshUntil.Add(-time.Duration(ttl) * time.Second))
	}

	s.control = []string{cacheControl(int(keep/time.Second), age, r.Private)}
	s.status = []string{cacheStatus(r.Cache, ttl)}
	return s
}

// endBy makes the stamp expire no later than at.
func (s *stamp) endBy(at time.Time) {
	if at.Before(s.until) {
		s.until = at
	}
}

// holds reports whether the stamp is valid for a reply.
func (s *stamp) holds(r *Reply) bool {
	now := r.arrival.Add(r.Duration)
	return s.Freshness == r.Freshness && s.private == r.Private && !now.Before(s.from) && now.Before(s.until)
}

// cacheControl returns a Cache-Control value that lets clients keep the answer for another keep seconds. Clients
// subtract Age from max-age (RFC 9111, section 4.2), so max-age is the sum of keep and age, in seconds.
func cacheControl(keep, age int, private bool) string {
	if keep <= 0 {
		return "no-cache"
	}

	scope := "public"
	if private {
		scope = "private"
	}

	control := scope + ", max-age=" + strconv.Itoa(keep+age)
	if !private {
		control += ", stale-if-error=86400"
	}

	return control
}

// cacheStatus returns a Cache-Status value (RFC 9211). ttl is the remaining lifetime of the answer in seconds and
// negative if the answer is stale.
func cacheStatus(cache string, ttl int) string {
	status := "rodata; fwd=miss; stored"
	if cache == Hit {
		status = "rodata; hit; ttl=" + strconv.Itoa(ttl)
	}
	if ttl < 0 {
		status += "; detail=stale"
	}

	return status
}

// Header values shared by all answers. They must not be modified.
var (
	hitValue  = []string{Hit}
	missValue = []string{Miss}
	noStore   = []string{"no-store"}
	bearer    = []string{"Bearer"} // RFC 6750, section 3: no error if no credentials were sent

	// varyKey includes Accept-Encoding because a shared cache may serve the answer to clients that accept other
	// codings.
	varyKey = []string{"Authorization, X-Api-Key, Accept-Encoding"}

	refusedBearer = []string{`Bearer error="invalid_token"`}
)

func number(n int) []string { return []string{strconv.Itoa(n)} }

// NamesTag reports whether an If-None-Match header, its values joined with commas, contains an entity tag, by the weak
// comparison of RFC 9110, section 13.1.2.
func NamesTag(ifNoneMatch, tag string) bool {
	if strings.TrimSpace(ifNoneMatch) == "*" {
		return true
	}

	tag = strings.TrimPrefix(tag, "W/")
	for candidate := range strings.SplitSeq(ifNoneMatch, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		// Compressed answers have other tags: "tag" becomes "tag-gzip".
		if candidate == tag || strings.HasPrefix(candidate, strings.TrimSuffix(tag, `"`)+"-") {
			return true
		}
	}

	return false
}
