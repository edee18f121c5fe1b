package web

import (
	"net/http"
	"strconv"

	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/op/problem"
)

// WriteJSON answers with a value as JSON.
func WriteJSON(w http.ResponseWriter, status int, body any) {
	write(w, status, "application/json", jsontext.MustEncode(body))
}

// WriteProblem answers with a problem, whose type is a URL below baseURL.
func WriteProblem(w http.ResponseWriter, p *problem.Problem, baseURL string) {
	WriteRetryAfter(w.Header(), p)
	write(w, p.Status(), problem.ContentType, p.JSON(baseURL))
}

func write(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write(body) // a disconnected client is not an error
}

// WriteRetryAfter sets the header Retry-After if a problem has advice about it.
func WriteRetryAfter(h http.Header, p *problem.Problem) {
	if seconds := p.RetrySeconds(); seconds > 0 {
		h.Set("Retry-After", strconv.Itoa(seconds))
	}
}
