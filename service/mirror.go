package service

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/store"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/holidays"
	"github.com/rodata/rodata/watch/mirror"
)

// SandboxLook is the interval of looks in the sandbox for watch-lists with daily looks. Tests that wait for looks
// shorten it before they start a gateway.
var SandboxLook = 10 * time.Second

// openMirror starts looking at companies, and keeps the search up to date with the looks. Of several edges that share
// the store, only one looks.
func (s *Service) openMirror(c *Config) error {
	s.companies.LastLooks, s.companies.Ready = s.watching.store.FindingsOf, s.tax.isReady
	s.background(func(ctx context.Context) { s.trade.Follow(ctx, s.watching.store.Findings) })

	o := mirror.Options{
		Scope: c.Observe.Scope(), Share: s.tax.share(c, c.Observe.Fraction()),
		Store: s.watching.store, Register: s.trade, Payer: payer{s.Store, s.ledger, c.Catalogue()},
		Look: s.companies.Look, Unusable: anaf.IsUnusable, Wake: s.watching.hub.Wake, Log: s.live,
	}
	if c.Environment == "sandbox" { // a day would be too long for a trial
		o.Sooner, o.Sweep = c.sooner(), SandboxLook/2
	}

	s.mirror = mirror.New(o)
	if c.Observe.Scope() == mirror.Seen {
		requests := mirror.NewRequests(s.watching.store, s.live)
		s.companies.OnRequest = requests.Note
		s.background(requests.Run)
	}

	s.lead(s.watching.store.Leases(), "mirror", s.mirror.Run)
	statements := &mirror.StatementChecks{
		Store: s.watching.store, Companies: s.companies, Every: 10 * time.Minute, Share: o.Share,
		IsWorkingDay: holidays.BankDay, Wake: s.watching.hub.Wake, Log: s.live,
	}
	if c.Environment == "sandbox" {
		statements.Every = SandboxLook
	}
	s.lead(s.watching.store.Leases(), "statements", statements.Run)
	s.background(s.mirror.Count)
	return nil
}

// sooner returns the duration that is subtracted from the intervals of watch-lists.
func (c *Config) sooner() time.Duration {
	if c.Environment == "sandbox" {
		return 24*time.Hour - SandboxLook
	}
	return 0
}

// Mirror returns the state of the mirror.
func (s *Service) Mirror() *system.MirrorStatus {
	stats := s.mirror.Stats()
	status := &system.MirrorStatus{
		Companies: string(stats.Scope), State: "looking", Share: stats.Share,
		ShareUsed: math.Round(stats.Used*1000) / 1000,
		InScope:   stats.InScope, LookedAt: stats.LookedAt, Overdue: stats.Overdue, Unpaid: stats.Unpaid,
	}
	if !stats.Oldest.IsZero() {
		status.OldestLook = new(stats.Oldest.Truncate(time.Second))
	}

	switch {
	case !stats.Leading:
		status.State = "elsewhere"
	case !s.tax.isReady():
		status.State = "resting"
	}

	return status
}

// resting is the longest wait for the tax authority that counts as waiting for a turn. A longer wait is a pause that
// the tax authority has requested.
const resting = 5 * time.Second

// isReady reports whether the tax authority may be queried in the background.
func (t *taxAuthority) isReady() bool {
	return t.breaker.State() != upstream.BreakerOpen && t.Resting() <= resting
}

// share returns a part of the ration for work in the background.
func (t *taxAuthority) share(c *Config, part float64) *work.Share {
	return work.NewShare(part, time.Duration(c.Upstreams.ANAF.Pace), t.isReady)
}

// payer charges accounts for watched companies.
type payer struct {
	accounts *store.DB
	ledger   *metering.Ledger
	plans    []metering.Plan
}

// Reserve implements [mirror.Payer].
func (p payer) Reserve(ctx context.Context, id string, credits int) (mirror.Payment, error) {
	owner, err := p.accounts.Account(ctx, id)
	if errors.Is(err, account.ErrNoAccount) || err == nil && !owner.ClosedAt.IsZero() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	charge := metering.Charge{
		Account: id, Operation: "watch_company", Credits: int64(credits), Monthly: p.monthly(owner.Plan),
	}
	hold, err := p.reserve(ctx, &charge)
	if hold == nil || err != nil {
		return nil, err
	}

	return payment{hold, int(charge.Credits)}, nil
}

// reserve reserves the credits of a charge or, if there are too few, those that remain, and changes the charge to
// them. It returns nil if none remain.
func (p payer) reserve(ctx context.Context, c *metering.Charge) (*metering.Hold, error) {
	hold, err := p.ledger.Reserve(ctx, *c)
	if errors.Is(err, metering.ErrExhausted) {
		if c.Credits, _ = p.ledger.Remaining(ctx, c.Account, c.Monthly); c.Credits <= 0 {
			return nil, nil
		}
		hold, err = p.ledger.Reserve(ctx, *c)
	}

	if errors.Is(err, metering.ErrExhausted) {
		return nil, nil
	}
	return hold, err
}

// monthly returns the credits of a plan, or of the first plan if the catalogue does not have it.
func (p payer) monthly(code string) int64 {
	for i := range p.plans {
		if p.plans[i].Code == code {
			return p.plans[i].MonthlyCredits
		}
	}

	return p.plans[0].MonthlyCredits
}

// payment is a reservation of credits.
type payment struct {
	*metering.Hold
	credits int
}

// Credits implements [mirror.Payment].
func (p payment) Credits() int { return p.credits }

// Settle implements [mirror.Payment].
func (p payment) Settle(ctx context.Context, credits int) error {
	hold := p.Hold
	if credits < p.credits {
		hold = p.Split(int64(credits))
	}

	_, err := hold.Settle(ctx, false)
	return err
}
