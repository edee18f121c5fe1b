package oauth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/metering"
)

// route handles one address.
type route struct {
	do func(*exchange) error
	// fail sends an error in the form that the caller expects.
	fail func(*exchange, *failure)
	// open allows pages of all origins to read the response, since it involves no cookie.
	open bool
}

// table maps methods and paths to routes. A * matches one segment.
func (s *Server) table() map[string]route {
	page, object, problem := (*exchange).failPage, (*exchange).failObject, (*exchange).failProblem
	routes := map[string]route{
		"GET " + Path + "/authorize":   {do: s.authorize, fail: page},
		"POST " + Path + "/authorize":  {do: s.decide, fail: page},
		"POST " + Path + "/sign-in":    {do: s.signIn, fail: page},
		"POST " + Path + "/token":      {do: s.token, fail: object, open: true},
		"POST " + Path + "/register":   {do: s.register, fail: object, open: true},
		"POST " + Path + "/revoke":     {do: s.revoke, fail: object, open: true},
		"GET " + Path + "/grants":      {do: requireSession(s.listGrants), fail: problem},
		"DELETE " + Path + "/grants/*": {do: requireSession(s.endGrant), fail: problem},
	}

	for path, send := range map[string]func(*exchange) error{
		serverMetadataPath: s.serverMetadata(), resourceMetadataPath: s.resourceMetadata(),
	} {
		metadata := route{do: send, fail: object, open: true}
		routes["GET "+path], routes["GET "+s.belowResource(path)] = metadata, metadata
	}

	return routes
}

// Handles reports whether the Server serves a path: below Path, or at one of the paths of the metadata (RFC 8414, RFC
// 9728).
func (s *Server) Handles(path string) bool {
	_, known := s.routes["GET "+path]
	return known || path == Path || strings.HasPrefix(path, Path+"/")
}

// ServeHTTP answers requests for paths that the Server Handles.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{server: s, w: w, r: r}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	found, methods := s.find(x)
	if found.open {
		h["Access-Control-Allow-Origin"] = web.AnyOrigin
		h["Access-Control-Expose-Headers"] = web.AllHeaders
	}

	switch {
	case len(methods) == 0:
		x.failProblem(&failure{status: http.StatusNotFound, code: "not_found",
			description: "there is nothing at this address"})
		return
	case r.Method == http.MethodOptions && found.open:
		web.AllowPreflight(h, strings.Join(methods, ", "))
		w.WriteHeader(http.StatusNoContent)
		return
	case !slices.Contains(methods, r.Method):
		h.Set("Allow", strings.Join(methods, ", "))
		x.failProblem(&failure{status: http.StatusMethodNotAllowed, code: "method_not_allowed",
			description: "only " + strings.Join(methods, " and ") + " is possible here"})
		return
	}

	err := s.admit(x, "oauth", generalRate)
	if err == nil {
		err = found.do(x)
	}
	if err != nil {
		s.fail(x, found, err)
	}
}

// find returns the route of a request and the methods that its path allows. It returns no methods if the path is
// unknown.
func (s *Server) find(x *exchange) (found route, methods []string) {
	path := x.r.URL.Path
	slash := strings.LastIndexByte(path, '/') + 1
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		pattern := path
		r, ok := s.routes[method+" "+pattern]
		if !ok {
			pattern = path[:slash] + "*"
			r, ok = s.routes[method+" "+pattern]
			x.segment = path[slash:]
		}

		if ok && (found.do == nil || method == x.r.Method) {
			found = r
		}
		if ok {
			x.r.Pattern = pattern
			methods = append(methods, method)
		}
	}

	return found, methods
}

// generalRate limits the rate of all calls from an address, which may be a connector that serves many people.
var generalRate = metering.PerSecond(20, 200)

// admit limits the rate of calls from an address.
func (s *Server) admit(x *exchange, what string, rate metering.Rate) error {
	id := metering.Named(what, metering.AddressBucket(s.Address(x.r)).Network)
	if wait := s.Buckets.Take(id, rate).RetryAfter; wait > 0 {
		return tooMany(wait)
	}

	return nil
}

// fail answers with an error. Any error other than a failure means that the store could not be reached, and is logged.
func (s *Server) fail(x *exchange, found route, err error) {
	f, ok := errors.AsType[*failure](err)
	if !ok {
		if errors.Is(err, context.Canceled) {
			return // the client has disconnected
		}

		s.Logger.ErrorContext(x.r.Context(), "an OAuth request failed", "path", x.r.URL.Path, "error", err)
		f = &failure{status: http.StatusServiceUnavailable, code: "temporarily_unavailable",
			description: "the account store is unavailable; try again shortly", retry: 5 * time.Second}
	}

	found.fail(x, f)
}
