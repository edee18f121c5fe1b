package mcp

import (
	"strings"
	"testing"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/rodata/rodata/testkit"
)

// A message has a span in the trace that its _meta names, or else in that of the HTTP request, with its failure.
func TestSpans(t *testing.T) {
	const parent = "b7ad6b7169203331"
	const inTrace = `"_meta":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-` + parent + `-01","tracestate":"a=b\nc: d"}`
	for name, c := range map[string]struct{ message, span, tool, parent, failure string }{
		"a call": {`"method":"tools/call","params":{"name":"get_holidays","arguments":{"year":2026},` + inTrace + `}`,
			"tools/call get_holidays", "get_holidays", parent, ""},
		"a tool's error": {`"method":"tools/call","params":{"name":"get_holidays","arguments":{"year":"x"}}`,
			"tools/call get_holidays", "get_holidays", "", "tool_error"},
		"an unknown resource": {`"method":"resources/read","params":{"uri":"caen:"}`, "resources/read", "", "", "-32002"},
		"an unknown tool":     {`"method":"tools/call","params":{"name":"get_secret"}`, "tools/call", "", "", "-32602"},
		"an unknown method":   {`"method":"skills/list"`, "skills/list", "", "", "-32601"},
		"no trace":            {`"method":"ping","params":{"_meta":{"traceparent":"00-0-0-01"}}`, "ping", "", "", ""},
		"long values": {`"id":"` + strings.Repeat("ă", 99) + `","method":"` + strings.Repeat("x", 64) + `","params":{"_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"` + strings.Repeat("1", 99) + `"}}`, strings.Repeat("x", 60) + "…", "",
			"", "-32601"},
		"a refused call": {`"method":"tools/call","params":{"name":"get_usage"}`, "tools/call get_usage", "get_usage", "", "401"},
	} {
		t.Run(name, func(t *testing.T) {
			exporter := tracetest.NewInMemoryExporter()
			provider := trace.NewTracerProvider(trace.WithSyncer(exporter))
			ctx, request := provider.Tracer("").Start(t.Context(), "POST")
			newWorld(t, setups["OAuth"]).sendCtx(ctx, "POST", `{"jsonrpc":"2.0","id":7,`+c.message+`}`)
			span := exporter.GetSpans()[0]
			testkit.Equal(t, span.Name, c.span)
			if c.parent == "" {
				c.parent = request.SpanContext().SpanID().String()
			}
			linked := len(span.Links) == 1 && span.Links[0].SpanContext.SpanID() == request.SpanContext().SpanID()
			if linked != (c.parent == parent) || !linked && len(span.Links) > 0 {
				t.Errorf("links: %v", span.Links)
			}
			testkit.Equal(t, span.Parent.SpanID().String(), c.parent)
			testkit.Equal(t, span.SpanContext.TraceState().String(), "", "an invalid state")

			attributes := make(map[attribute.Key]string)
			for _, a := range span.Attributes {
				attributes[a.Key] = a.Value.AsString()
				if utf8.RuneCountInString(a.Value.AsString()) > 61 {
					t.Errorf("%s is not cut: %s", a.Key, a.Value.AsString())
				}
			}

			if id := attributes["jsonrpc.request.id"]; id != "7" && id != strings.Repeat("ă", 60)+"…" {
				t.Errorf("the id is %s", id)
			}
			testkit.Equal(t, attributes["gen_ai.tool.name"], c.tool)
			testkit.Equal(t, attributes["error.type"], c.failure)
		})
	}
}
