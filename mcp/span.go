package mcp

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// startSpan starts the span of a message, which follows OpenTelemetry's semantic conventions for MCP. If the message's
// _meta holds a trace context, that is the parent, and the span of the HTTP request is a link; otherwise the latter is
// the parent. Without a span of the HTTP request, none is started. Arguments and results are never recorded.
func (x *exchange) startSpan(ctx context.Context) (context.Context, trace.Span) {
	request := trace.SpanFromContext(ctx)
	if !request.IsRecording() {
		return ctx, request
	}

	name, about := x.Method, []attribute.KeyValue{
		attribute.String("mcp.method.name", x.Method),
		attribute.String("jsonrpc.request.id", strings.Trim(string(x.ID), `"`)),
		attribute.String("mcp.protocol.version", cmp.Or(x.meta[protocol.MetaKeyProtocolVersion],
			x.r.Header.Get(protocol.HeaderProtocolVersion))),
	}
	if x.Method == "tools/call" && x.tools[x.name] != nil {
		name += " " + x.name
		about = append(about, attribute.String("gen_ai.tool.name", x.name),
			attribute.String("gen_ai.operation.name", "execute_tool"))
	}

	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(about...)}
	if x.meta["traceparent"] != "" {
		ctx = parents.Extract(ctx, x.meta)
		options = append(options, trace.WithLinks(trace.Link{SpanContext: request.SpanContext()}))
	}

	return request.TracerProvider().Tracer("github.com/rodata/rodata/mcp").Start(ctx, name, options...)
}

// parents reads the parent of a span: W3C Trace Context and Baggage.
var parents = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})

// endSpan records the failure of the message, if any, and ends its span.
func (x *exchange) endSpan(span trace.Span) {
	switch {
	case x.fault != nil:
		code := strconv.Itoa(x.fault.Code)
		span.SetAttributes(attribute.String("error.type", code), attribute.String("rpc.response.status_code", code))
		span.SetStatus(codes.Error, "")
	case x.Method == "tools/call" && x.reply != nil && x.reply.Problem != nil:
		span.SetAttributes(attribute.String("error.type", "tool_error"))
		span.SetStatus(codes.Error, "")
	}

	span.End()
}
