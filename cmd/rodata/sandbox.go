package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/spf13/cobra"

	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/caddymodule"
	"github.com/rodata/rodata/cmd/rodata/command"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit/standin"
)

func sandboxCommand() *cobra.Command {
	cmd := command.New("sandbox [--rate N] [--logs]", "Serves from stand-ins of the registries: try it here", `
Starts the gateway in front of built-in stand-ins of the registries, so that it can be
tried without the internet. The companies are invented; the exchange rates are the
published ones on some days and made up on the others. It opens an account, and
prints its key and what to try. Mails are printed instead of sent.

It listens on RODATA_ADDRESS, by default http://127.0.0.1:8080, and keeps its data
and its log in RODATA_DATA_DIR, by default a directory that is removed when it stops.
Only this machine reaches it, unless RODATA_BIND names another address to listen on.`, "rodata sandbox", 0)
	rate := cmd.Flags().Int("rate", metering.Anonymous.N,
		"Requests a second from an address without a key, for tests that send many")
	logs := cmd.Flags().Bool("logs", false, "Write the log to the terminal instead of a file in the data directory")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		if !*logs {
			logForPeople(cmd.ErrOrStderr())
		}

		return sandbox(ctx, cmd.OutOrStdout(), *rate, *logs)
	}

	return cmd
}

// registryLatency makes cache misses realistic.
const registryLatency = 150 * time.Millisecond

// sandboxLog is the log file in the data directory.
const sandboxLog = "sandbox.log"

// sandbox serves until the context ends. It logs to a file, or to standard error.
func sandbox(ctx context.Context, out io.Writer, rate int, logs bool) (err error) {
	registries, err := standin.Start(standin.Options{Strict: true, Latency: registryLatency})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, registries.Close()) }()

	if os.Getenv("RODATA_DATA_DIR") == "" {
		dir, err := os.MkdirTemp("", "rodata-sandbox-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)

		os.Setenv("RODATA_DATA_DIR", dir)
	}

	setEnvironment(registries)
	dataDir := os.Getenv("RODATA_DATA_DIR")
	if err := loadInvented(ctx, registries.ONRC.URL, dataDir); err != nil {
		return err
	}

	key, err := sandboxKey(ctx, dataDir)
	if err != nil {
		return err
	}

	log := ""
	if !logs {
		log = filepath.Join(dataDir, sandboxLog)
	}

	stop, err := startSandbox(out, rate, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	if err := introduce(out, os.Getenv("RODATA_ADDRESS"), key, log, registries); err != nil {
		return err
	}

	<-ctx.Done()
	return nil
}

// startSandbox starts serving, with mails printed to out and the log in a file; an empty name stands for standard
// error.
func startSandbox(out io.Writer, rate int, log string) (stop func() error, err error) {
	config, err := sandboxConfig(rate, log)
	if err != nil {
		return nil, err
	}
	if err := checkAddressesFree(config); err != nil {
		return nil, err
	}

	caddymodule.Terminal = caddymodule.Console{
		Serving: func(string, []caddymodule.Endpoint) {}, // printed by introduce
		Mail:    func(m mail.Message) { printMail(out, m) },
	}
	if err := caddy.Load(config, true); err != nil {
		caddymodule.Terminal = caddymodule.Console{}
		return nil, &plainError{fmt.Errorf("starting the sandbox: %w", err)}
	}

	return func() error {
		defer func() { caddymodule.Terminal = caddymodule.Console{} }()
		return caddy.Stop()
	}, nil
}

// printMail prints a mail instead of sending it.
func printMail(out io.Writer, m mail.Message) {
	fmt.Fprintf(out, "Mail to %s: %s\n\n  %s\n\n", m.To, m.Subject,
		strings.ReplaceAll(strings.TrimSpace(m.Text), "\n", "\n  "))
}
