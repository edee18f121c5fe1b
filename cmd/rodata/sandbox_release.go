package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/rodata/rodata/testkit/standin"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/onrc"
	"github.com/rodata/rodata/upstream/onrc/bulk"
)

// loadInvented loads the stand-in's trade register, so that the first answer already has its data. It loads the
// previous month's release first, so that there are changes between two releases.
func loadInvented(ctx context.Context, url, dataDir string) error {
	if err := loadPast(ctx, filepath.Join(dataDir, "onrc")); err != nil {
		return fmt.Errorf("loading the invented trade register of the previous month: %w", err)
	}

	portal, err := onrc.NewPortal(onrc.PortalOptions{Options: upstream.Options{URL: url}})
	if err != nil {
		return err
	}
	defer portal.Close()

	_, err = onrc.Load(ctx, onrc.Options{Portal: portal, Dir: filepath.Join(dataDir, "onrc")})
	if err != nil && !errors.Is(err, onrc.ErrCurrent) {
		return fmt.Errorf("loading the invented trade register: %w", err)
	}

	return nil
}

// loadPast loads the stand-in's previous release into an empty register, and creates its files.
func loadPast(ctx context.Context, dir string) (err error) {
	register := onrc.Open(onrc.RegisterOptions{Dir: dir})
	loaded := register.DataThrough() != 0
	if err := register.Close(); loaded || err != nil {
		return err
	}

	temporary, err := os.MkdirTemp("", "rodata-release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()

	from, err := standin.WritePastRelease(temporary, time.Now())
	if err != nil {
		return err
	}
	if _, err := onrc.Load(ctx, onrc.Options{From: from, Dir: dir}); err != nil {
		return err
	}

	register = onrc.Open(onrc.RegisterOptions{Dir: dir})
	defer func() { err = errors.Join(err, register.Close()) }()
	files, err := bulk.Open(bulk.Options{Register: register, Dir: bulk.Dir(dir), Keep: 2,
		Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}

	return files.Update(ctx)
}
