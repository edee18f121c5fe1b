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
	"syscall"
	"time"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/onrc"
)

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "register",
		Short: "Manages the trade register on this machine",
		CobraFunc: func(cmd *cobra.Command) {
			cmd.Args = cobra.NoArgs
			cmd.AddCommand(registerLoad())
		},
	})
}

func registerLoad() *cobra.Command {
	var from, dataDir string
	var force bool
	cmd := &cobra.Command{
		Use:   "load [--from <directory>] [--force]",
		Short: "Loads the newest release of the trade register",
		Long: `
Finds the newest release of the trade register's open data, downloads it, and makes
the index that companies are searched in. A gateway that serves from the same data
directory changes over within a minute; it also loads new releases by itself, so
that this command is needed only to be quicker, or without the internet.

With --from, the files of a release (od_firme.csv and the others) are read from a
directory instead, and left there. It may be ended at any time: the next load goes
on with the files that were read.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return loadRegister(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr(), onrc.Options{From: from, Dir: filepath.Join(dataDir, "onrc"), Force: force})
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "directory with the files of a release, to read instead of downloading")
	cmd.Flags().BoolVar(&force, "force", false, "load a release even if it has far fewer rows than the one before")
	cmd.Flags().StringVar(&dataDir, "data-dir", cmp.Or(os.Getenv("RODATA_DATA_DIR"), filepath.Join(caddy.AppDataDir(), "rodata")),
		"data directory of the gateway")
	return cmd
}

// loadRegister loads, shows the progress on one stream, and the summary on the
// other.
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
		_, err := fmt.Fprintf(out, "The newest release, of %s, is loaded already: %s companies.\n", summary.Release, humanize.Comma(summary.Companies))
		return err
	}
	if err != nil {
		return err
	}
	return printSummary(out, summary)
}

func printSummary(out io.Writer, s *onrc.Summary) error {
	w := &errWriter{out: out}
	w.printf("Loaded the release of %s: %s companies in %s.\n\nRead:\n", s.Release, humanize.Comma(s.Companies), s.Took.Round(100*time.Millisecond))
	for _, file := range slices.Sorted(maps.Keys(s.Rows)) {
		w.printf("%14s  rows of %s, %s\n", humanize.Comma(s.Rows[file]), file, humanize.Bytes(uint64(s.Bytes[file])))
	}
	if len(s.Dropped) > 0 {
		w.printf("\nDropped or mended:\n")
	}
	for _, reason := range slices.SortedFunc(maps.Keys(s.Dropped), func(a, b onrc.Reason) int {
		return cmp.Or(cmp.Compare(s.Dropped[b], s.Dropped[a]), cmp.Compare(a, b))
	}) {
		w.printf("%14s  %s\n", humanize.Comma(s.Dropped[reason]), reason)
	}
	for _, file := range s.Missing {
		w.printf("\nThe release lacks %s.\n", file)
	}
	for _, warning := range s.Warnings {
		w.printf("\nWarning: %s\n", warning)
	}
	return w.err
}

// errWriter remembers the first error of writing.
type errWriter struct {
	out io.Writer
	err error
}

func (w *errWriter) printf(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.out, format, args...)
	}
}
