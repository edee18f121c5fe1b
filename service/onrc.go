package service

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rodata/rodata/api/release"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/profile"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/onrc"
	"github.com/rodata/rodata/upstream/onrc/bulk"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// tradeRegister is the open register, and the goroutine that loads its releases.
type tradeRegister struct {
	*onrc.Register
	portal *onrc.Portal
	source *onrc.Source // nil for none
	keeper work.Pool
	// files are the releases for download; nil if the settings turn them off. A goroutine of their own creates them.
	files *bulk.Files
	maker work.Pool

	dir  string
	log  *slog.Logger
	mu   sync.Mutex
	bulk *statements.Store
	// changed is the time of the last change of the store's directory, and opened that of the store's opening.
	changed, opened time.Time
}

// openTradeRegister takes a share in the register.
func (s *Service) openTradeRegister(c *Config) error {
	o := &c.Upstreams.ONRC
	return share(&s.shares, &s.trade, "the trade register", [...]any{*o, s.core}, func() (*tradeRegister, error) {
		requests := s.core.meters.Registry("onrc")
		portal, err := onrc.NewPortal(onrc.PortalOptions{
			Options: upstream.Options{URL: o.URL, UserAgent: o.UserAgent, Timeout: time.Duration(o.Timeout)},
			Observe: func(began time.Time, err error) { requests.Count(began, err) },
		})
		if err != nil {
			return nil, err
		}

		var source *onrc.Source
		if o.Take != "" {
			if source, err = onrc.NewSource(o.Take); err != nil {
				return nil, err
			}
		}

		dir := filepath.Join(c.DataDir, "onrc")
		options := onrc.RegisterOptions{
			Portal: portal, Source: source, Publish: o.Publish, Statements: o.Statements, Dir: dir, Logger: s.live,
		}
		if o.Off {
			options.Portal = nil
		}

		r := &tradeRegister{Register: onrc.Open(options), portal: portal, source: source, dir: dir, log: s.live}
		if err := r.openFiles(o.KeptReleases()); err != nil {
			return nil, errors.Join(err, r.Register.Close())
		}

		r.keeper.Go(r.Run)
		r.keeper.Go(func(ctx context.Context) { r.FollowStatements(ctx, r.statements, profile.LacksStatement) })
		return r, nil
	})
}

// openFiles opens the releases for download, and starts their creation.
func (r *tradeRegister) openFiles(keep int) (err error) {
	if keep == 0 {
		return nil
	}

	r.files, err = bulk.Open(bulk.Options{Register: r.Register, Dir: bulk.Dir(r.dir), Keep: keep, Logger: r.log})
	if err == nil {
		r.maker.Go(r.files.Run)
	}

	return err
}

// releases returns the releases for download; nil for none.
func (r *tradeRegister) releases() release.Releases {
	if r.files == nil {
		return nil
	}
	return r.files
}

// Close stops the goroutines and closes the register. An interrupted load resumes at the next start.
func (r *tradeRegister) Close() error {
	r.maker.Close()
	r.keeper.Close()
	defer r.portal.Close()
	if r.source != nil {
		defer r.source.Close()
	}

	return r.Register.Close()
}

// statements returns the store of bulk yearly statements as it is on disk. The garbage collector closes a replaced
// file once its last reader is done.
func (r *tradeRegister) statements() *statements.Store {
	dir := onrc.StatementsDir(r.dir)
	var changed time.Time // zero if there is no directory yet
	if info, err := os.Stat(dir); err == nil {
		changed = info.ModTime()
	}

	r.mu.Lock()
	defer r.mu.Unlock()

	// A directory may change again within the resolution of its time.
	const resolution = time.Second
	settled := r.opened.Sub(changed) > resolution || time.Since(r.opened) < resolution
	if r.bulk != nil && changed.Equal(r.changed) && settled {
		return r.bulk
	}

	r.changed, r.opened = changed, time.Now()
	store, err := cmp.Or(r.bulk, &statements.Store{}).Reopen(dir)
	if err != nil { // the store lacks a file but is usable
		r.log.Error("opening the yearly statements failed", "registry", "onrc", "error", err)
	}

	r.bulk = store
	return store
}

// status returns the state of the register. It is stale if the last look for a newer release failed.
func (r *tradeRegister) status() telemetry.Source {
	known := r.Register.Status()
	return documentsStatus("onrc", r.portal.Breaker().State(), known.Checked, known.Release, known.Err != nil)
}
