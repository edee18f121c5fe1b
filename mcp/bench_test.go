package mcp

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rodata/rodata/op"
)

// BenchmarkToolCall measures a cached tool call, from the message to the answer.
func BenchmarkToolCall(b *testing.B) {
	w := newWorld(b)
	body, session := companyCall(1, example), w.newSession(b)
	for name, send := range map[string]func() *httptest.ResponseRecorder{
		"legacy": func() *httptest.ResponseRecorder { return w.send("POST", body, sessionHeader, session) },
		"modern": func() *httptest.ResponseRecorder {
			return w.sendModern("tools/call", "get_company",
				`"name":"get_company","arguments":{"cui":"`+example.String()+`"},`)
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if answer := send(); !strings.Contains(answer.Body.String(), `"isError"`) && answer.Code == 200 {
					continue
				}
				b.Fatal("the call failed")
			}
		})
	}

	b.Run("gateway alone", func(b *testing.B) { // the work of REST between request and answer
		b.ReportAllocs()
		o := w.tools["get_company"].Operation
		args := good("get_company")
		for b.Loop() {
			w.Gateway.Do(b.Context(), o, &op.Call{Args: args})
		}
	})
}
