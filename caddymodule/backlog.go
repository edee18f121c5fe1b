package caddymodule

import (
	"context"
	"time"

	"github.com/rodata/rodata/billing"
)

// backlogTime bounds the reading of the backlog: a scrape waits for it.
const backlogTime = 2 * time.Second

// readBacklog tells what has yet to be invoiced and sent. Processes on one store tell
// the same.
func (s *service) readBacklog(r readings) {
	r.gauge(signInDesc, truth(s.billing.EFacturaTrouble() != nil))
	ctx, cancel := context.WithTimeout(context.Background(), backlogTime)
	defer cancel()
	b, err := s.invoices.Backlog(ctx)
	if err != nil {
		return // rodata_store_up tells of that
	}
	r.gauge(paymentsDesc, float64(b.Payments))
	r.gauge(paymentsAgeDesc, age(b.PaidSince))
	for _, state := range billing.Owed {
		r.gauge(invoicesDesc, float64(b.Invoices[state]), string(state))
	}
	r.gauge(invoicesAgeDesc, age(b.IssuedOn))
}

// age is how many seconds have passed since a time; 0 for none.
func age(since time.Time) float64 {
	if since.IsZero() {
		return 0
	}
	return max(time.Since(since).Seconds(), 0)
}
