package webhook

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// BenchmarkDeliveries sends events about b.N companies to a receiver on this machine, and waits until all deliveries
// are recorded.
func BenchmarkDeliveries(b *testing.B) {
	s := newService(b)
	var got atomic.Int64
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		got.Add(1)
	}))
	defer endpoint.Close()
	hook := s.create(b, endpoint.URL)
	testkit.Must(s.ChangeWebhook(b.Context(), ana, monitoring.WebhookID(hook.ID),
		monitoring.WebhookChange{State: monitoring.WebhookDisabled}))

	companies := make([]ro.CUI, b.N)
	for i := range companies {
		companies[i] = ro.CUI(1 + i)
	}

	s.happen(b, companies...) // no deliveries are queued for these
	testkit.Must(s.ChangeWebhook(b.Context(), ana, monitoring.WebhookID(hook.ID),
		monitoring.WebhookChange{State: monitoring.WebhookActive}))

	b.ResetTimer()
	s.exec(b, `INSERT INTO deliveries (webhook, number, list, company, created_at, tries, due_at)
		SELECT 1, number, list, company, $1, 0, $1 FROM feed`, time.Now().UnixMilli())
	s.hub.Wake()
	testkit.Until(b, "all is delivered", func() bool {
		page, err := s.Deliveries(b.Context(), ana, monitoring.WebhookID(hook.ID), nil, monitoring.Pending, 1)
		return err == nil && len(page.Items) == 0
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "deliveries/s")
	if got.Load() != int64(b.N) {
		b.Errorf("%d of %d events came", got.Load(), b.N)
	}
}
