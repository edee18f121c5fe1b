package service

import (
	"context"
	"log/slog"
	"time"

	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/internal/recent"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/upstream/vies"
)

// vatNumbers is the open connection to VIES, with the goroutine that polls its state.
type vatNumbers struct {
	*vies.Lanes
	updater
}

// openVIES takes a share in the connection.
func (s *Service) openVIES(c *Config) error {
	v := &c.Upstreams.VIES
	return share(&s.shares, &s.numbers, "VIES", [...]any{*v, s.core}, func() (*vatNumbers, error) {
		client, err := v.Client()
		if err != nil {
			return nil, err
		}

		n := &vatNumbers{vies.NewLanes(vies.Options{
			Client:  meteredVIES{vies.NewClient(client), s.core.meters.Registry(vies.Name)},
			Breaker: v.Breaker.Upstream(),
		}), updater{client: client}}
		n.pool.Go(n.Run)
		return n, nil
	})
}

// meteredVIES counts requests by the parsed answer: an error in the body of a 200 is a failure.
type meteredVIES struct {
	vies.Querier
	requests telemetry.RegistryMeter
}

// Check implements vies.Querier.
func (m meteredVIES) Check(ctx context.Context, q vies.Question) (vies.Result, error) {
	ctx, end := m.requests.Begin(ctx)
	result, err := m.Querier.Check(ctx, q)
	end(err)
	return result, err
}

// Availability implements vies.Querier.
func (m meteredVIES) Availability(ctx context.Context) (vies.Availability, error) {
	ctx, end := m.requests.Begin(ctx)
	known, err := m.Querier.Availability(ctx)
	end(err)
	return known, err
}

// status returns the state of VIES and of the member states' registers.
func (n *vatNumbers) status() telemetry.Source {
	known := n.Lanes.Status()
	s := recordsStatus(vies.Name, known.Breaker, known.LastSuccess, known.Down)
	for _, one := range known.States {
		state := system.MemberStateStatus{CountryCode: string(one.State), State: "ok", Breaker: string(one.Breaker)}
		switch {
		case one.Down:
			state.State = "down"
		case !one.Known:
			state.State = "unknown"
		}

		s.MemberStates = append(s.MemberStates, state)
	}

	return s
}

// vatIdentities caches the VAT numbers on the accounts' invoices, so that most calls need no query for them.
type vatIdentities struct {
	read  func(ctx context.Context, account string) (string, error)
	log   *slog.Logger
	known *recent.Memory[string, ro.VATNumber]
}

const (
	// identityLifetime is the time for which an account's number is cached, and so the delay until a new invoice's
	// number is used.
	identityLifetime = 10 * time.Minute
	// maxIdentities bounds the number of accounts whose numbers are cached.
	maxIdentities = 10_000
)

func newVATIdentities(read func(context.Context, string) (string, error), log *slog.Logger) *vatIdentities {
	return &vatIdentities{read, log, recent.New[string, ro.VATNumber](maxIdentities)}
}

// VATNumberOf implements vat.Identities. If the invoices of an account cannot be read, it returns no number.
func (v *vatIdentities) VATNumberOf(ctx context.Context, account string) (number ro.VATNumber) {
	start := time.Now()
	if number, ok := v.known.Get(account); ok {
		return number
	}

	text, err := v.read(ctx, account)
	if err != nil {
		v.log.Warn("reading the VAT number of an account", "account", account, "error", err)
		return ""
	}
	if text != "" && number.UnmarshalText([]byte(text)) != nil {
		number = ""
	}

	v.known.PutUntil(account, number, start.Add(identityLifetime))
	return number
}
