package caddymodule

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/watch"
)

// closedAtOnce is the maximum number of accounts that a sweep reads at once.
const closedAtOnce = 500

// forgetClosed deletes the data of closed accounts from the database of the observations. It does so soon after an
// account is closed or, after a crash, in the next sweep.
func (s *service) forgetClosed() {
	changed := make(chan string, closedAtOnce)
	s.ends = append(s.ends, s.store.Watch(func(id string) {
		select {
		case changed <- id:
		default: // the next sweep finds it
		}
	}))

	s.background(func(ctx context.Context) {
		tick := time.NewTicker(tidyEvery)
		defer tick.Stop()
		for {
			if err := s.sweepClosed(ctx, time.Now()); err != nil && ctx.Err() == nil {
				live.Error("deleting the watch-lists of closed accounts failed; retrying in 10 minutes", "error", err)
			}

			for swept := false; !swept; {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
					swept = true
				case id := <-changed:
					if err := s.forgetIfClosed(ctx, id); err != nil && ctx.Err() == nil {
						live.Error("deleting the watch-lists of a closed account failed; retrying within 10 minutes",
							"account", id, "error", err)
					}
				}
			}
		}
	})
}

// clockSkew is the tolerated clock skew within a fleet. For this long after the end of a month, another server may
// still make charges for that month.
const clockSkew = 24 * time.Hour

// sweepClosed deletes closed accounts' data and the payments of past months, and completes interrupted deletions of
// watch-lists.
func (s *service) sweepClosed(ctx context.Context, now time.Time) error {
	if err := s.watching.store.ForgetPaid(ctx, watch.MonthOf(now.Add(-clockSkew))); err != nil {
		return err
	}
	if err := s.watching.store.FinishDeleting(ctx); err != nil {
		return err
	}

	owners, err := s.jobStore.Accounts(ctx)
	if err != nil {
		return err
	}

	for _, id := range owners {
		if err := s.forgetIfClosed(ctx, id); err != nil {
			return err
		}
	}

	for after := ""; ; {
		ids, err := s.watching.store.Accounts(ctx, after, closedAtOnce)
		if err != nil || len(ids) == 0 {
			return err
		}

		for _, id := range ids {
			if err := s.forgetIfClosed(ctx, id); err != nil {
				return err
			}
		}

		after = ids[len(ids)-1]
	}
}

func (s *service) forgetIfClosed(ctx context.Context, id string) error {
	if id == account.Everyone {
		return nil
	}

	a, err := s.store.Account(ctx, id)
	switch {
	case errors.Is(err, account.ErrNoAccount):
		return nil // accounts are never deleted, so the accounts' store may have been restored from an older backup
	case err != nil, a.ClosedAt.IsZero():
		return err
	}

	return errors.Join(s.watching.store.DeleteWebhooks(ctx, id), s.watching.store.DeleteAccount(ctx, id),
		s.forgetJobs(ctx, id))
}
