package service

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/compat"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/upstream/uptime"
)

// core is the state of a data directory, which survives reloads. It has no settings: a
// configuration that fails to load must leave no trace.
type core struct {
	cache   *cache.Cache
	buckets *metering.Buckets
	days    *metering.Days
	meters  *telemetry.Meters
	uptime  *uptime.Recorder
	events  op.Slots
	uploads *op.Uploads
	answers compat.Answers
	started time.Time
}

// coreName is the name of the core in the pool; it depends on the data directory alone.
const coreName = "the core"

// openCore takes a share in the core of the data directory, and loads the secret.
func (s *Service) openCore(c *Config) (err error) {
	if err = share(&s.shares, &s.core, coreName, c.DataDir,
		func() (*core, error) { return newCore(c.DataDir, c.Cache.Size, s.live) }); err != nil {
		return err
	}

	s.secret, err = account.LoadSecret(c.Secret, c.DataDir)
	return err
}

// newCore opens the core of a data directory, and creates the directory if necessary. The cache keeps this size until
// the process ends or changes its data directory.
func newCore(dataDir string, cacheSize int64, log *slog.Logger) (*core, error) {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return nil, err
	}

	c, err := cache.Open(cache.Options{
		MaxBytes: cacheSize, Path: filepath.Join(dataDir, "cache.db"), Logger: log,
	})
	if err != nil {
		return nil, err
	}

	u, err := uptime.Open(filepath.Join(dataDir, "uptime.json"), log)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}

	uploads, err := op.OpenUploads(filepath.Join(dataDir, "uploads"))
	if err != nil {
		return nil, errors.Join(err, u.Close(), c.Close())
	}

	return &core{
		cache: c, uptime: u, uploads: uploads, buckets: metering.NewBuckets(), days: metering.NewDays(),
		meters: telemetry.NewMeters(), started: time.Now(),
	}, nil
}

// Close closes the core.
func (c *core) Close() error { return errors.Join(c.uptime.Close(), c.cache.Close()) }
