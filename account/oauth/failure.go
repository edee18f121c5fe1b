package oauth

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op/problem"
)

// failure returns an error for the caller. Its code is OAuth's where there is one (RFC 6749, sections 4.1.2.1 and 5.2;
// RFC 7591, section 3.2.2; RFC 8707).
func failure(kind *problem.Kind, code, description string) *problem.Problem {
	return &problem.Problem{Kind: kind, Code: code, Detail: description}
}

func bad(code, format string, args ...any) *problem.Problem {
	return failure(problem.InvalidRequest, code, fmt.Sprintf(format, args...))
}

func tooMany(wait time.Duration) *problem.Problem {
	return failure(problem.RateLimited, "temporarily_unavailable", "too many requests; wait as Retry-After says").
		After(wait)
}

// unknownClient makes a client register again.
func unknownClient() *problem.Problem {
	return failure(problem.Unauthorized, "invalid_client", "this client_id is not registered; register again")
}

// failObject sends an error to a client (RFC 6749, section 5.2).
func (x *exchange) failObject(p *problem.Problem) {
	web.WriteRetryAfter(x.w.Header(), p)
	if p.Kind == problem.Unauthorized && x.r.Header.Get("Authorization") != "" {
		x.w.Header().Set("WWW-Authenticate", `Basic realm="rodata"`)
	}

	web.WriteJSON(x.w, p.Status(), struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{p.Code, p.Detail})
}

// failProblem sends an error to our own scripts, as a problem like all of /api/auth (RFC 9457).
func (x *exchange) failProblem(p *problem.Problem) {
	other := *p
	other.Code, other.Extensions = strings.ToUpper(p.Code), struct {
		Message string `json:"message"`
	}{p.Detail}
	web.WriteProblem(x.w, &other, x.server.Issuer)
}

// refuse answers a request for an unknown path, or with a method that the path does not support.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, allow string) {
	p := failure(problem.NotFound, "not_found", "there is nothing at this address")
	if allow != "" {
		p = failure(problem.MethodNotAllowed, "method_not_allowed", "accepted here: "+allow)
	}

	(&exchange{s, w, r}).failProblem(p)
}
