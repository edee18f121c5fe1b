package oauth

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/account/internal/page"
	"github.com/rodata/rodata/op/problem"
)

// failure is an error for the caller. Its code is OAuth's where there is one (RFC 6749, sections 4.1.2.1 and 5.2; RFC
// 7591, section 3.2.2; RFC 8707).
type failure struct {
	status      int
	code        string
	description string
	retry       time.Duration // Retry-After; 0 for none
}

func (f *failure) Error() string { return f.code + ": " + f.description }

// bad returns the failure of an invalid request.
func bad(code, format string, args ...any) *failure {
	return &failure{status: http.StatusBadRequest, code: code, description: fmt.Sprintf(format, args...)}
}

// tooMany returns the failure of a rate-limited request.
func tooMany(wait time.Duration) *failure {
	return &failure{status: http.StatusTooManyRequests, code: "temporarily_unavailable",
		description: "too many requests; wait as Retry-After says", retry: wait}
}

// unknownClient makes a client register again.
func unknownClient() *failure {
	return &failure{status: http.StatusUnauthorized, code: "invalid_client",
		description: "this client_id is not registered; register again"}
}

func (x *exchange) writeRetry(f *failure) {
	if f.retry > 0 {
		x.w.Header().Set("Retry-After", strconv.Itoa(problem.Seconds(f.retry)))
	}
}

// failObject sends an error to a client (RFC 6749, section 5.2).
func (x *exchange) failObject(f *failure) {
	x.writeRetry(f)
	if f.status == http.StatusUnauthorized && x.r.Header.Get("Authorization") != "" {
		x.w.Header().Set("WWW-Authenticate", `Basic realm="rodata"`)
	}

	page.WriteJSON(x.w, f.status, "application/json", struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{f.code, f.description})
}

// failProblem sends an error to our own scripts, as a problem like all of /api/auth (RFC 9457).
func (x *exchange) failProblem(f *failure) {
	x.writeRetry(f)
	p := problem.Problem{Kind: problem.ForStatus(f.status), Code: strings.ToUpper(f.code), Detail: f.description}
	p.Extensions = struct {
		Message string `json:"message"`
	}{f.description}
	page.WriteJSON(x.w, f.status, problem.ContentType, json.RawMessage(p.JSON(x.server.Issuer)))
}
