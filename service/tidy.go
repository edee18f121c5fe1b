package service

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/internal/work"
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
	if s.auth.RequireVerification { // without it, accounts work unverified
		n, err := s.store.DeleteUnverified(ctx, now)
		if err != nil && ctx.Err() == nil {
			s.live.Error("deleting accounts whose owners never verified their address failed; retrying in 10 minutes",
				"error", err)
		}
		if n > 0 {
			s.live.Info("deleted accounts whose owners never verified their address", "count", n)
		}
	}

	if err := s.store.Tidy(ctx, now); err != nil && ctx.Err() == nil {
		s.live.Error("tidying the account store failed; retrying in 10 minutes", "error", err)
	}
	if err := s.tidyJobs(ctx, now); err != nil && ctx.Err() == nil {
		s.live.Error("deleting expired jobs failed; retrying in 10 minutes", "error", err)
	}
	if err := s.receipts.Tidy(ctx); err != nil && ctx.Err() == nil {
		s.live.Error("tidying the receipts failed; retrying in 10 minutes", "error", err)
	}
	if err := s.truncateWALs(ctx); err != nil && ctx.Err() == nil {
		s.live.Error("removing deleted rows from the files failed; retrying in 10 minutes", "error", err)
	}
}

// truncateWALs removes what was deleted from the files of all stores.
func (s *Service) truncateWALs(ctx context.Context) error {
	return errors.Join(s.store.TruncateWAL(ctx), s.watching.store.TruncateWAL(ctx), s.jobStore.TruncateWAL(ctx))
}
