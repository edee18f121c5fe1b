package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/rodata/rodata/cmd/rodata/command"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/onrc"
)

// registerCommand groups the commands on the trade register.
func registerCommand() *cobra.Command {
	return command.Group("register", "Loads the trade register on this machine", registerLoad())
}

func registerLoad() *cobra.Command {
	var from, dataDir string
	var force bool
	cmd := command.New("load [--from <directory>] [--force]", "Loads the newest release of the trade register", `
Finds the newest release of the trade register's open data, downloads it (1.6 GB), and
builds the index for searching companies. A gateway on the same data directory serves
it within a minute. Gateways load new releases by themselves: this command is for
those who do not want to wait, and for machines without internet access.

With --from, the files of a release (od_firme.csv and the others) are read from a
directory, and left there. The load can be interrupted at any time: the next one
continues with the files that were read.`, "rodata register load", 0)
	cmd.Example += "\n  rodata register load --from /srv/firme-02-10-2026"
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		return loadRegister(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr(),
			onrc.Options{From: from, Dir: filepath.Join(dataDir, "onrc"), Force: force})
	}
	cmd.Flags().StringVar(&from, "from", "", "Directory with the files of a release, to read instead of downloading")
	cmd.Flags().BoolVar(&force, "force", false, "Load a release even if it has far fewer rows than the one before")
	cmd.Flags().StringVar(&dataDir, "data-dir",
		cmp.Or(os.Getenv("RODATA_DATA_DIR"), filepath.Join(caddy.AppDataDir(), "rodata")),
		"Data directory of the gateway")
	return cmd
}

// loadRegister loads a release; it shows the progress on one stream and the summary on the other.
func loadRegister(ctx context.Context, out, progress io.Writer, o onrc.Options) error {
	if o.From == "" {
		portal, err := onrc.NewPortal(onrc.PortalOptions{
			Options: upstream.Options{URL: cmp.Or(os.Getenv("RODATA_ONRC_URL"), "https://data.gov.ro")},
		})
		if err != nil {
			return err
		}
		defer portal.Close()

		o.Portal = portal
	}

	bar := newProgressBar(progress)
	o.Progress = bar.show
	summary, err := onrc.Load(ctx, o)
	bar.end()
	if errors.Is(err, onrc.ErrCurrent) {
		_, err := fmt.Fprintf(out, "The newest release, of %s, is already loaded: %s companies.\n", summary.Release,
			humanize.Comma(summary.Companies))
		return err
	}
	if err != nil {
		return err
	}

	return printSummary(out, summary)
}

func printSummary(out io.Writer, s *onrc.Summary) error {
	var w strings.Builder
	fmt.Fprintf(&w, "Loaded the release of %s: %s companies in %s.\n\nRead:\n", s.Release, humanize.Comma(s.Companies),
		s.Took.Round(100*time.Millisecond))
	for _, file := range slices.Sorted(maps.Keys(s.Rows)) {
		fmt.Fprintf(&w, "%14s  rows of %s, %s\n", humanize.Comma(s.Rows[file]), file,
			humanize.Bytes(uint64(s.Bytes[file])))
	}

	if len(s.Dropped) > 0 {
		fmt.Fprintf(&w, "\nDropped or mended:\n")
	}

	for _, reason := range slices.SortedFunc(maps.Keys(s.Dropped), func(a, b onrc.Reason) int {
		return cmp.Or(cmp.Compare(s.Dropped[b], s.Dropped[a]), cmp.Compare(a, b))
	}) {
		fmt.Fprintf(&w, "%14s  %s\n", humanize.Comma(s.Dropped[reason]), reason)
	}

	for _, file := range s.Missing {
		fmt.Fprintf(&w, "\nThe release lacks %s.\n", file)
	}

	for _, warning := range s.Warnings {
		fmt.Fprintf(&w, "\nWarning: %s\n", warning)
	}

	_, err := io.WriteString(out, w.String())
	return err
}
