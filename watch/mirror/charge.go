package mirror

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
)

// Payer takes credits from accounts outside their own calls.
type Payer interface {
	// Reserve reserves credits of an account: the requested number, or as many as are left. It returns nil if no
	// credits are left or the account is closed.
	Reserve(ctx context.Context, account string, credits int) (Payment, error)
}

// Payment is a reservation of credits. It must be settled or released.
type Payment interface {
	Credits() int
	// Settle charges some of the credits and releases the rest. If too few are left after all, it returns
	// metering.ErrExhausted. An error means that nothing was charged; only metering.ErrUncertain leaves that open.
	Settle(ctx context.Context, credits int) error
	Release()
}

// chargeTime is the time limit of a charge, which is completed even if the mirror stops.
const chargeTime = 10 * time.Second

// chargeFor charges the accounts that have not yet paid the month for some of the companies. It returns the companies
// that at least one account has paid for.
func (m *Mirror) chargeFor(ctx context.Context, companies []ro.CUI, now time.Time) ([]ro.CUI, error) {
	month := watch.MonthOf(now)
	due, err := m.Store.Unpaid(ctx, companies, month)
	if err != nil || len(due) == 0 {
		return companies, err
	}

	for _, account := range slices.Sorted(maps.Keys(due)) {
		if err := m.charge(ctx, account, due[account], now); err != nil {
			return nil, err
		}
	}

	paid, err := m.Store.Paid(ctx, companies, month)
	return slices.DeleteFunc(companies, func(c ro.CUI) bool { return !paid[c] }), err
}

// charge charges an account the month's price for companies, as many as it can pay for. If it cannot pay for all of
// them, its watch-lists are marked as unpaid.
func (m *Mirror) charge(ctx context.Context, account string, companies []ro.CUI, now time.Time) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), chargeTime)
	defer cancel()
	month := watch.MonthOf(now)
	n, err := m.pay(ctx, account, companies, month)
	if err != nil || n == len(companies) {
		return err
	}

	added, err := m.Store.SetUnpaid(ctx, account, month, now)
	if added > 0 {
		m.Wake()
	}

	return err
}

// pay charges for as many of the companies as the account can pay for, and returns their number. It marks them as paid
// before it charges, so that a crash in between may give them away but never charges twice.
func (m *Mirror) pay(ctx context.Context, account string, companies []ro.CUI, month watch.Month) (int, error) {
	payment, err := m.Payer.Reserve(ctx, account, len(companies))
	if err != nil || payment == nil {
		return 0, err
	}
	defer payment.Release()

	some := companies[:min(payment.Credits(), len(companies))]
	due, err := m.Store.MarkPaid(ctx, account, some, month, nil)
	if err != nil || len(due) == 0 {
		return len(some), err
	}

	err = payment.Settle(ctx, len(due))
	switch {
	case err == nil:
		return len(some), nil
	case errors.Is(err, metering.ErrUncertain):
		m.Log.Error("it is unknown whether watched companies were charged; they count as paid", "account", account,
			"companies", len(due), "error", err)
		return len(some), nil
	case errors.Is(err, metering.ErrExhausted):
		return len(some) - len(due), m.Store.Unpay(ctx, account, due, month)
	}

	return 0, errors.Join(err, m.Store.Unpay(context.WithoutCancel(ctx), account, due, month))
}

// collectDebts charges accounts that could not pay before, as far as they can pay now.
func (m *Mirror) collectDebts(ctx context.Context, now time.Time) error {
	debtors, err := m.Store.Debtors(ctx)
	if err != nil {
		return err
	}

	for _, account := range debtors {
		if err := m.collect(ctx, account, now); err != nil {
			return err
		}
	}

	return nil
}

func (m *Mirror) collect(ctx context.Context, account string, now time.Time) error {
	month := watch.MonthOf(now)
	if err := m.Store.ClearUnpaid(ctx, account, month); err != nil {
		return err
	}

	for ctx.Err() == nil {
		debts, err := m.Store.Debts(ctx, account, month, pageSize)
		if err != nil || len(debts) == 0 {
			return err
		}

		charging, cancel := context.WithTimeout(context.WithoutCancel(ctx), chargeTime)
		n, err := m.pay(charging, account, debts, month)
		cancel()
		if err != nil || n < len(debts) {
			return err
		}
		if err := m.Store.ClearUnpaid(ctx, account, month); err != nil {
			return err
		}
	}

	return nil
}
