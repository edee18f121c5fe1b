package service

import (
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"slices"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/bnr"
)

// summary returns the content of a span: its name, the result of the cache, and the error.
func summary(s sdktrace.ReadOnlySpan) string {
	text := s.Name()
	for _, a := range s.Attributes() {
		if a.Key == "rodata.cache" || a.Key == "rodata.problem" {
			text += " " + a.Value.String()
		}
	}

	if s.Status().Description != "" {
		text += " " + s.Status().Description
	}

	return text
}

// A traced request has a span for the cache. If a registry is queried, the span has a child for the registry. Neither
// contains the company or the cause of an error.
func TestSpans(t *testing.T) {
	down := &op.Failure{
		Registry: "anaf", Kind: op.Closed, Err: errors.Join(upstream.ErrNotSent, errors.New("192.0.2.1 refused")),
	}
	register := telemetry.WithSpan("upstream.anaf",
		func(ctx context.Context, asked ro.CompanyDay, _ cache.Demand) (*anaf.Record, error) {
			if asked.CUI == 9900000029 {
				return nil, down
			}
			return oneCompany(ctx, asked)
		})
	s := newService(t, func(ctx context.Context, asked ro.CompanyDay) (*anaf.Record, error) {
		return register(ctx, asked, cache.Demand{})
	})
	traced := func(context.Context, *op.Observation) bool { return true }
	s.gateway.Observe = s.core.meters.Observer(s.operations, traced)
	for _, c := range []struct {
		name, path string
		want       []string
	}{
		{"first call", "/v1/companies/9900000010", []string{"upstream.anaf", "cache.get MISS", "request"}},
		{"second call", "/v1/companies/9900000010", []string{"cache.get HIT", "request"}},
		{"unknown company", "/v1/companies/14399840", []string{"upstream.anaf", "cache.get not-found", "request"}},
		{"registry down", "/v1/companies/9900000029",
			[]string{"upstream.anaf not_asked", "cache.get unavailable", "request"}},
		{"no registry", "/v1/plans", []string{"request"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			recorder := tracetest.NewSpanRecorder()
			provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
			r := httptest.NewRequest("GET", c.path, nil)
			ctx, span := provider.Tracer("caddy").Start(r.Context(), "request")
			s.answer(r.WithContext(ctx))
			span.End()
			var got []string
			for _, s := range recorder.Ended() {
				got = append(got, summary(s))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}

			for _, s := range recorder.Ended() {
				if s.Name() != "request" && s.Parent().SpanID() != span.SpanContext().SpanID() {
					t.Errorf("%s is not below the request", s.Name())
				}
			}
		})
	}
}

// A request for fixings is part of the trace of the call that needed them.
func TestSpanOfTheBank(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
	ctx, request := provider.Tracer("caddy").Start(t.Context(), "request")
	bank := newPublisher("bnr", refusing{}, telemetry.NewMeters())
	log := slog.New(slog.DiscardHandler)

	archive, err := bnr.Open(bnr.Options{Client: bank, Dir: t.TempDir(), Logger: log})
	testkit.NoError(t, err)
	if _, _, err := archive.On(ctx, 0); err == nil {
		t.Fatal("there are fixings")
	}
	testkit.NoError(t, archive.Close())

	ended := recorder.Ended()
	if len(ended) == 0 {
		t.Fatal("there is no span")
	}

	for _, s := range ended {
		if summary(s) != "upstream.bnr not_asked" || s.Parent().SpanID() != request.SpanContext().SpanID() {
			t.Errorf("got %s below %s", summary(s), s.Parent().SpanID())
		}
	}
}

// refusing is a central bank that is never queried.
type refusing struct{ upstream.Doer }

func (refusing) Do(context.Context, upstream.Request) (*upstream.Response, error) {
	return nil, &op.Failure{Registry: "bnr", Kind: op.Closed, Err: upstream.ErrNotSent}
}

// A trace that is not sampled has no further cost.
func TestNoSpansWithoutATrace(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder),
		sdktrace.WithSampler(sdktrace.NeverSample()))
	unsampled, _ := provider.Tracer("caddy").Start(t.Context(), "request")
	for name, ctx := range map[string]context.Context{"no span": t.Context(), "not sampled": unsampled} {
		if same, span := telemetry.StartSpan(ctx, "x"); span != nil || same != ctx {
			t.Errorf("%s: got a span", name)
		}
	}

	if len(recorder.Started()) != 0 {
		t.Errorf("%d spans were begun", len(recorder.Started()))
	}
}
