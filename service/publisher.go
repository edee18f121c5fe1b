package service

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/upstream"
)

// publisher is a registry that publishes documents. It counts and traces the requests for them. An unusable document
// counts as answered; the registry's breaker counts it as a failure.
type publisher struct {
	client   upstream.Doer
	name     string
	requests telemetry.RegistryMeter
}

func newPublisher(name string, c upstream.Doer, m *telemetry.Meters) publisher {
	return publisher{c, name, m.Registry(name)}
}

// Do sends a request. It implements upstream.Doer.
func (p publisher) Do(ctx context.Context, r upstream.Request) (*upstream.Response, error) {
	start := time.Now()
	ctx, span := telemetry.StartSpan(ctx, "upstream."+p.name, trace.WithSpanKind(trace.SpanKindClient))
	res, err := p.client.Do(ctx, r)
	failed := err
	// A 404 is no failure: the document of the day or year does not exist yet.
	if err == nil && res.Status >= http.StatusBadRequest && res.Status != http.StatusNotFound {
		failed = fmt.Errorf("status %d", res.Status)
	}

	p.requests.Count(start, failed)
	telemetry.EndSpan(span, failed)
	return res, err
}
