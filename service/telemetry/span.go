package telemetry

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
)

// StartSpan starts a child of the span that the web server has put into the context. It returns a nil span if the
// context has none, or if the trace is not sampled.
func StartSpan(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.SpanContext().IsSampled() {
		return ctx, nil
	}
	return parent.TracerProvider().Tracer("github.com/rodata/rodata").Start(ctx, name, options...)
}

// traceLookup adds the span of a call. It creates the span only when the call has ended, so that calls without a trace
// have no cost.
func traceLookup(ctx context.Context, o *op.Observation) {
	end := time.Now()
	_, span := StartSpan(ctx, "cache.get", trace.WithTimestamp(end.Add(-o.Reply.Duration)), trace.WithAttributes(
		attribute.String("rodata.operation", o.Operation.Name), attribute.String("rodata.channel", o.Channel)))
	if span == nil {
		return
	}

	if o.Reply.Problem != nil {
		span.SetAttributes(attribute.String("rodata.problem", o.Reply.Problem.Kind.Slug))
	} else {
		span.SetAttributes(attribute.String("rodata.cache", o.Reply.Cache),
			attribute.Bool("rodata.stale", o.StaleBy > 0))
	}

	span.End(trace.WithTimestamp(end))
}

// WithSpan wraps a fetch from a registry in a span, a child of the span of the request that started the fetch. The span
// has only the kind of an error; the cause is logged.
func WithSpan[K, V any](name string, fetch cache.Loader[K, V]) cache.Loader[K, V] {
	return func(ctx context.Context, key K, d cache.Demand) (value V, err error) {
		ctx, span := StartSpan(ctx, name, trace.WithSpanKind(trace.SpanKindClient))
		if span == nil {
			return fetch(ctx, key, d)
		}
		defer func() { endSpan(span, err) }()

		span.SetAttributes(attribute.Bool("rodata.background", d.Urgency() != cache.Interactive))
		return fetch(ctx, key, d)
	}
}

// endSpan ends the span of a request to a registry; the span may be nil.
func endSpan(span trace.Span, err error) {
	if span == nil {
		return
	}
	if err != nil && !errors.Is(err, op.ErrUnknown) {
		span.SetStatus(codes.Error, outcomeOf(err))
	}

	span.End()
}
