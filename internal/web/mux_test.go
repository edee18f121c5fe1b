package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestMux(t *testing.T) {
	answer := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "invoice "+r.PathValue("id")) }
	mux := NewMux(map[string]http.HandlerFunc{
		"GET /invoices/{id}": answer, "DELETE /invoices/{id}": answer, "POST /invoices": answer,
	}, func(w http.ResponseWriter, _ *http.Request, allow string) {
		io.WriteString(w, "refused, allowed: "+allow)
	})
	for request, want := range map[string]string{
		"GET /invoices/7":      "invoice 7",
		"HEAD /invoices/7":     "invoice 7",
		"PUT /invoices/7":      "refused, allowed: DELETE, GET, HEAD, OPTIONS",
		"GET /invoices":        "refused, allowed: OPTIONS, POST",
		"GET /invoices/":       "refused, allowed: ",
		"GET /invoices/7/8":    "refused, allowed: ",
		"GET /":                "refused, allowed: ",
		"GET //invoices/7":     "refused, allowed: ",
		"GET /invoices//7":     "refused, allowed: ",
		"POST /x/../invoices":  "refused, allowed: ",
		"OPTIONS /./invoices":  "refused, allowed: ",
		"GET /invoices/7/.":    "refused, allowed: ",
		"GET //":               "refused, allowed: ",
		"POST /invoices/a%2Fb": "refused, allowed: DELETE, GET, HEAD, OPTIONS",
	} {
		t.Run(request, func(t *testing.T) {
			method, path, _ := strings.Cut(request, " ")
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, httptest.NewRequest(method, path, nil))
			if got := w.Body.String(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
