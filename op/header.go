package op

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/rodata/rodata/op/problem"
)

// The headers are part of the contract, and every channel sends them: REST and the registries' own protocols as
// headers, MCP some of them in _meta. Channels do not import each other, so the headers are written here.

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

	if r.tag != nil {
		h["Etag"] = r.tag
	}
	if r.Shared {
		varyBy(h, varyKey)
	}

	r.writeFreshness(h)
}

// WriteFacts sets the headers that MCP also reports, in _meta: the rate limit, credits, Retry-After, and whether the
// answer came from the cache.
func (r *Reply) WriteFacts(h http.Header) {
	if r.Policy != nil {
		state := r.Policy.state(r.Allowance.Remaining)
		h["RateLimit-Limit"], h["RateLimit-Remaining"] = r.Policy.limit, state.remaining
		h["RateLimit-Policy"], h["RateLimit"] = r.Policy.value, state.value
		if r.Quota.Limit > 0 {
			h["RateLimit-Policy"] = []string{r.Policy.value[0] + r.quotaPolicy()}
			h["RateLimit"] = []string{state.value[0] + r.quotaState()}
		}
	} else if rate := r.Allowance.Rate; rate.N > 0 {
		h["RateLimit-Limit"], h["RateLimit-Remaining"] = number(rate.N), number(r.Allowance.Remaining)
	}

	h["x-credits-cost"] = noCost
	if r.Cost > 0 {
		h["x-credits-cost"] = number(r.Cost)
	}
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

// writeChallenge adds the header WWW-Authenticate to a 401, and to a 403 for lack of a scope (RFC 6750, section 3).
func (r *Reply) writeChallenge(h http.Header) {
	switch {
	case r.Problem.RefusesKey:
		h["Www-Authenticate"] = refusedBearer
	case r.Problem.Kind == problem.InsufficientScope:
		h["Www-Authenticate"] = narrowBearer
	case r.Status == http.StatusUnauthorized:
		h["Www-Authenticate"] = bearer
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
	s.status = []string{cacheStatus(r.Cache, ttl, !r.FreshUntil.IsZero())}
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
func cacheStatus(cache string, ttl int, stored bool) string {
	status := "rodata; fwd=miss"
	switch {
	case cache == Hit:
		status = "rodata; hit; ttl=" + strconv.Itoa(ttl)
	case stored:
		status += "; stored"
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
	noCost    = []string{"0"}
	bearer    = []string{"Bearer"} // RFC 6750, section 3: no error if no credentials were sent

	// varyKey includes Accept-Encoding because a shared cache may serve the answer to clients that accept other
	// codings.
	varyKey = []string{"Authorization, X-Api-Key, Accept-Encoding"}

	refusedBearer = []string{`Bearer error="invalid_token"`}
	narrowBearer  = []string{`Bearer error="insufficient_scope"`}
)

func number(n int) []string { return []string{strconv.Itoa(n)} }
