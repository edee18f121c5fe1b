package company

import (
	"context"
	"fmt"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
)

// Companies implements api.Companies.
func (r *Register) Companies(ctx context.Context, cuis []api.CUI, wait time.Duration, each func([]api.Found) bool) {
	patient, cancel := context.WithTimeoutCause(ctx, wait, cache.ErrUnattended)
	defer cancel()
	known := make(chan api.Found, len(cuis))
	for i, cui := range cuis {
		go func() {
			answer, err := r.Company(patient, cui)
			if err != nil && patient.Err() != nil && ctx.Err() == nil {
				err = &api.Failure{Registry: taxAuthority, Kind: api.TimedOut, Err: fmt.Errorf("waiting for company %s: %w", cui, err)}
			}
			known <- api.Found{Index: i, Answer: answer, Err: err}
		}()
	}

	for range cuis {
		if found := <-known; ctx.Err() != nil || !each([]api.Found{found}) {
			return
		}
	}
}
