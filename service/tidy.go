package service

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/watch"
)

// tidyEvery is the interval between deletions of expired rows from the store, and so the maximum time for which a
// deleted person's data stays in the write-ahead log.
const tidyEvery = 10 * time.Minute

// tidyStore tidies the store now, and then regularly until the service ends.
func (s *Service) tidyStore() {
	s.background(func(ctx context.Context) {
		work.Repeat(ctx, nil, func(ctx context.Context) time.Duration {
			s.tidy(ctx, time.Now())
			return tidyEvery
		})
	})
}

func (s *Service) tidy(ctx context.Context, now time.Time) {
	if s.Auth.RequireVerification { // without it, accounts work unverified
		n, err := s.Store.DeleteUnverified(ctx, now)
		s.logFailure(ctx, err,
			"deleting accounts whose owners never verified their address failed; retrying in 10 minutes")
		if n > 0 {
			s.live.Info("deleted accounts whose owners never verified their address", "count", n)
		}
	}

	s.logFailure(ctx, s.Store.Tidy(ctx, now), "tidying the account store failed; retrying in 10 minutes")
	s.logFailure(ctx, s.tidyJobs(ctx, now), "deleting expired jobs failed; retrying in 10 minutes")
	s.logFailure(ctx, s.Receipts.Tidy(ctx), "tidying the receipts failed; retrying in 10 minutes")
	s.logFailure(ctx, s.truncateWALs(ctx), "removing deleted rows from the files failed; retrying in 10 minutes")
}

// logFailure logs an error, unless it is nil or the service is ending.
func (s *Service) logFailure(ctx context.Context, err error, message string, args ...any) {
	if err != nil && ctx.Err() == nil {
		s.live.Error(message, append(args, "error", err)...)
	}
}

// truncateWALs removes what was deleted from the files of all stores.
func (s *Service) truncateWALs(ctx context.Context) error {
	return errors.Join(s.Store.TruncateWAL(ctx), s.watching.store.TruncateWAL(ctx), s.jobStore.TruncateWAL(ctx))
}

// sweptAtOnce is the maximum number of accounts that a sweep reads at once.
const sweptAtOnce = 500

// forgetDisowned deletes, from the databases of the observations and of the jobs, what no longer has a legitimate
// owner: the data of closed accounts, what somebody else created in an account before its owner verified the address,
// and the webhooks and addresses of feeds of revoked keys. It runs right after the account changes, and again in the
// next sweep, if the process crashed or a key has expired.
func (s *Service) forgetDisowned() {
	changed := make(chan string, sweptAtOnce)
	s.ends = append(s.ends, s.Store.Watch(func(id string) {
		select {
		case changed <- id:
		default: // the next sweep finds it
		}
	}))

	s.background(func(ctx context.Context) {
		tick := time.NewTicker(tidyEvery)
		defer tick.Stop()
		for {
			s.logFailure(ctx, s.sweepDisowned(ctx, time.Now()),
				"deleting what accounts have left failed; retrying in 10 minutes")

			for swept := false; !swept; {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
					swept = true
				case id := <-changed:
					s.logFailure(ctx, s.disown(ctx, id),
						"deleting what an account has left failed; retrying within 10 minutes", "account", id)
				}
			}
		}
	})
}

// clockSkew is the tolerated clock skew within a fleet. For this long after the end of a month, another server may
// still make charges for that month.
const clockSkew = 24 * time.Hour

// sweepDisowned does what forgetDisowned missed for all accounts, deletes the payments of past months, and completes
// interrupted deletions of watch-lists.
func (s *Service) sweepDisowned(ctx context.Context, now time.Time) error {
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
		if err := s.disown(ctx, id); err != nil {
			return err
		}
	}

	for after := ""; ; {
		ids, err := s.watching.store.Accounts(ctx, after, sweptAtOnce)
		if err != nil || len(ids) == 0 {
			return err
		}

		for _, id := range ids {
			if err := s.disown(ctx, id); err != nil {
				return err
			}
		}

		after = ids[len(ids)-1]
	}
}

// disown deletes what was set up in an account that is closed, or before its user verified the address, and ends what
// was set up with keys that are revoked or have expired.
func (s *Service) disown(ctx context.Context, id string) error {
	if id == account.Everyone {
		return nil
	}

	a, err := s.Store.Account(ctx, id)
	switch {
	case errors.Is(err, account.ErrNoAccount):
		return nil // accounts are never deleted, so the accounts' store may have been restored from an older backup
	case err != nil:
		return err
	case !a.ClosedAt.IsZero():
		return errors.Join(s.watching.store.DeleteAccount(ctx, id), s.forgetJobs(ctx, id, time.Now()),
			s.truncateWALs(ctx))
	case !a.OwnedSince.IsZero():
		err = errors.Join(s.watching.store.DeleteCreated(ctx, id, a.OwnedSince), s.forgetJobs(ctx, id, a.OwnedSince))
	}

	ended, failure := s.Store.EndedKeys(ctx, id)
	return errors.Join(err, failure, s.watching.store.DisableWebhooks(ctx, id, ended),
		s.watching.store.EndFeeds(ctx, id, ended))
}
