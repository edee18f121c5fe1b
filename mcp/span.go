package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/rodata/rodata/op/problem"
)

// startSpan starts the span of a message, which follows OpenTelemetry's semantic conventions for MCP. If the message's
// _meta holds a trace context, that is the parent, and the span of the HTTP request is a link; otherwise the latter is
// the parent. Without a span of the HTTP request, none is started. Arguments and results are never recorded.
func (x *exchange) startSpan(ctx context.Context) (context.Context, trace.Span) {
	request := trace.SpanFromContext(ctx)
	if !request.IsRecording() {
		return ctx, request
	}

	name, meta := *problem.Excerpt(x.Method), textsOf(x.meta)
	about := []attribute.KeyValue{
		attribute.String("mcp.method.name", name),
		attribute.String("jsonrpc.request.id", *problem.Excerpt(strings.Trim(string(x.ID), `"`))),
		attribute.String("mcp.protocol.version", *problem.Excerpt(cmp.Or(meta[protocol.MetaKeyProtocolVersion],
			x.r.Header.Get(protocol.HeaderProtocolVersion)))),
	}
	if x.Method == "tools/call" && x.tools[x.name] != nil {
		name += " " + x.name
		about = append(about, attribute.String("gen_ai.tool.name", x.name),
			attribute.String("gen_ai.operation.name", "execute_tool"))
	}

	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(about...)}
	if ctx = parents.Extract(ctx, meta); trace.SpanContextFromContext(ctx).IsRemote() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: request.SpanContext()}))
	}

	return request.TracerProvider().Tracer("github.com/rodata/rodata/mcp").Start(ctx, name, options...)
}

// parents reads the parent of a span: W3C Trace Context and Baggage.
var parents = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})

// observe reads the error in an answer of mcp-go, if the message has a span.
func (x *exchange) observe(answer []byte) {
	var a struct{ Error *fault }
	if x.span.IsRecording() && json.Unmarshal(answer, &a) == nil && a.Error != nil {
		x.fault = a.Error
	}
}

// endSpan records the failure of the message, if any, and ends its span.
func (x *exchange) endSpan() {
	failure := ""
	switch {
	case x.fault != nil:
		failure = strconv.Itoa(x.fault.Code)
		x.span.SetAttributes(attribute.String("rpc.response.status_code", failure))
	case x.reply == nil || x.reply.Problem == nil:
	case x.Method == "tools/call" && !x.challenges(x.reply.Problem):
		failure = "tool_error"
	default: // the message was refused with a status of HTTP
		failure = strconv.Itoa(x.reply.Problem.Status())
	}

	if failure != "" {
		x.span.SetAttributes(attribute.String("error.type", failure))
		x.span.SetStatus(codes.Error, "")
	}
	x.span.End()
}
