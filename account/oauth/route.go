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
	"github.com/rodata/rodata/op/problem"
)

func (s *Server) newMux() http.Handler {
	page, object, script := (*exchange).failPage, (*exchange).failObject, (*exchange).failProblem
	routes := map[string]http.HandlerFunc{
		"GET " + Path + "/authorize":      s.handler(s.authorize, page),
		"POST " + Path + "/authorize":     s.handler(s.decide, page),
		"POST " + Path + "/sign-in":       s.handler(s.signIn, page),
		"POST " + Path + "/token":         s.handler(s.token, object),
		"POST " + Path + "/register":      s.handler(s.register, object),
		"POST " + Path + "/revoke":        s.handler(s.revoke, object),
		"GET " + Path + "/grants":         s.handler(requireSession(s.listGrants), script),
		"DELETE " + Path + "/grants/{id}": s.handler(requireSession(s.endGrant), script),
	}

	for path, send := range map[string]func(*exchange) error{
		serverMetadataPath: s.serverMetadata(), resourceMetadataPath: s.resourceMetadata(),
	} {
		for _, path := range []string{path, s.belowResource(path)} {
			routes["GET "+path] = s.handler(send, object)
		}
	}

	return web.NewMux(routes, s.refuse)
}

// openPaths returns the paths that pages of all origins may call, because they involve no cookie.
func (s *Server) openPaths() []string {
	return []string{
		Path + "/token", Path + "/register", Path + "/revoke", serverMetadataPath, resourceMetadataPath,
		s.belowResource(serverMetadataPath), s.belowResource(resourceMetadataPath),
	}
}

// Handles reports whether the Server serves a path: below Path, or at one of the paths of the metadata (RFC 8414, RFC
// 9728).
func (s *Server) Handles(path string) bool {
	return slices.Contains(s.open, path) || path == Path || strings.HasPrefix(path, Path+"/")
}

// ServeHTTP answers requests for paths that the Server Handles.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if slices.Contains(s.open, r.URL.Path) {
		web.AllowAnyPage(h)
	}

	s.mux.ServeHTTP(w, r)
}

// handler returns the handler of a route. Fail sends errors in the form that its callers expect. Any error other than a
// problem means that the store could not be reached, and is logged.
func (s *Server) handler(do func(*exchange) error, fail func(*exchange, *problem.Problem)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{s, w, r}
		err := s.admit(x, "oauth", generalRate)
		if err == nil {
			err = do(x)
		}

		p, known := errors.AsType[*problem.Problem](err)
		switch {
		case err == nil, errors.Is(err, context.Canceled) && !known: // the client has disconnected
		case known:
			fail(x, p)
		default:
			s.Logger.ErrorContext(r.Context(), "an OAuth request failed", "path", r.URL.Path, "error", err)
			fail(x, failure(problem.Unavailable, "temporarily_unavailable",
				"the account store is unavailable; try again shortly").After(5*time.Second))
		}
	}
}

// generalRate limits the rate of all calls from an address, which may be a connector that serves many people.
var generalRate = metering.PerSecond(20, 200)

func (s *Server) admit(x *exchange, what string, rate metering.Rate) error {
	id := metering.Named(what, metering.AddressBucket(s.Address(x.r)).Network)
	if wait := s.Buckets.Take(id, rate).RetryAfter; wait > 0 {
		return tooMany(wait)
	}

	return nil
}
