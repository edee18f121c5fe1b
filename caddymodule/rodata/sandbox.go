package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/template"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/spf13/cobra"

	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/caddymodule"
	"github.com/rodata/rodata/caddymodule/rodata/ask"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/onrc"
	"github.com/rodata/rodata/upstream/onrc/bulk"
	"github.com/rodata/rodata/upstream/upstreamtest"
)

func sandboxCommand() *cobra.Command {
	const example = "rodata sandbox"
	cmd := &cobra.Command{
		Use: "sandbox [--logs]", Short: "Serves from stand-ins of the registries: try it here", Args: takes(0, example),
		Example: "  " + example,
		Long: `Starts the gateway in front of built-in stand-ins of the registries, so that it can be
tried without the internet. The companies are invented; the exchange rates are the
published ones on some days and made up on the others. It opens an account, and
prints its key and what to try. Mails are printed instead of sent.

It listens on RODATA_ADDRESS, by default http://127.0.0.1:8080, and keeps its data
and its log in RODATA_DATA_DIR, by default a directory that is removed when it stops.
Only this machine reaches it, unless RODATA_BIND names another address to listen on.`,
	}

	logs := cmd.Flags().Bool("logs", false, "Write the log to the terminal instead of a file in the data directory")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		if !*logs {
			logForPeople(cmd.ErrOrStderr())
		}

		return sandbox(ctx, cmd.OutOrStdout(), *logs)
	}

	return cmd
}

// registryLatency makes cache misses realistic.
const registryLatency = 150 * time.Millisecond

// sandboxLog is the log file in the data directory.
const sandboxLog = "sandbox.log"

// sandbox serves until the context ends. It logs to a file, or to standard error.
func sandbox(ctx context.Context, out io.Writer, logs bool) (err error) {
	registries, err := upstreamtest.Start(upstreamtest.Options{Strict: true, Latency: registryLatency})
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

	for name, value := range map[string]string{
		"RODATA_ADDRESS": ask.DefaultURL, "RODATA_BIND": "127.0.0.1",
		"RODATA_WEBHOOKS_PRIVATE": "on", // for receivers on this machine
	} {
		os.Setenv(name, cmp.Or(os.Getenv(name), value))
	}

	os.Setenv("RODATA_ANAF_URL", registries.ANAF.URL)
	os.Setenv("RODATA_ANAF_FILES_URL", registries.Files.URL)
	os.Setenv("RODATA_ONRC_URL", registries.ONRC.URL)
	os.Setenv("RODATA_BNR_URL", registries.BNR.URL)
	os.Setenv("RODATA_VIES_URL", registries.VIES.URL)
	os.Setenv("RODATA_STORE", "") // the sandbox has its own accounts
	os.Setenv("RODATA_REDIS", "") // and its own cached answers

	dataDir := os.Getenv("RODATA_DATA_DIR")
	if err := loadInvented(ctx, registries.ONRC.URL, dataDir); err != nil {
		return err
	}

	key, err := sandboxKey(ctx, dataDir)
	if err != nil {
		return err
	}

	config, err := sandboxConfig()
	if err != nil {
		return err
	}

	log := ""
	if !logs {
		log = filepath.Join(dataDir, sandboxLog)
		if config, err = logTo(config, log); err != nil {
			return err
		}
	}

	caddymodule.Terminal = caddymodule.Console{
		Serving: func(string, []caddymodule.Place) {}, // printed by introduce
		Mail:    func(m mail.Message) { printMail(out, m) },
	}
	defer func() { caddymodule.Terminal = caddymodule.Console{} }()
	if err := caddy.Load(config, true); err != nil {
		return &plainError{fmt.Errorf("starting the sandbox: %w", err)}
	}
	defer func() { err = errors.Join(err, caddy.Stop()) }()

	if err := introduce(out, os.Getenv("RODATA_ADDRESS"), key, log, registries); err != nil {
		return err
	}

	<-ctx.Done()
	return nil
}

// loadInvented loads the stand-in's trade register, so that the first answer already has its data. It loads the
// previous month's release first, so that there are changes between two releases.
func loadInvented(ctx context.Context, url, dataDir string) error {
	if err := loadPast(ctx, filepath.Join(dataDir, "onrc")); err != nil {
		return fmt.Errorf("loading the invented trade register of the month before: %w", err)
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

	from, err := upstreamtest.WritePastRelease(temporary, time.Now())
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

// sandboxConfig is the shipped configuration, without anything that reaches outside this process.
func sandboxConfig() ([]byte, error) {
	adapted, _, err := shippedAdapter{}.Adapt(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("reading the Caddyfile in the program: %w", err)
	}

	var config object
	if err := json.Unmarshal(adapted, &config); err != nil {
		return nil, err
	}

	config["admin"] = object{"disabled": true, "config": object{"persist": false}}
	apps := config["apps"].(object)
	app := apps["rodata"].(object)
	app["environment"] = "sandbox"
	upstreams := app["upstreams"].(object)
	register := upstreams["anaf"].(object)
	register["timeout"] = "3s"                     // for the number with a hanging answer
	register["breaker"] = object{"failures": 1000} // failing numbers must not open the breaker for others
	upstreams["vies"].(object)["timeout"] = "3s"
	return json.Marshal(config)
}

// logTo returns a configuration that writes all logs, including the access log, to one file. The file is not rotated,
// because each log would rotate it separately.
func logTo(config []byte, file string) ([]byte, error) {
	var changed object
	if err := json.Unmarshal(config, &changed); err != nil {
		return nil, err
	}

	writer := object{"output": "file", "filename": file, "roll": false}
	for _, log := range member(changed, "logging", "logs") {
		log.(object)["writer"] = writer
	}

	eachObject(changed["apps"], "handler", "rodata_log", func(access object) { access["writer"] = writer })
	return json.Marshal(changed)
}

// printMail prints a mail instead of sending it.
func printMail(out io.Writer, m mail.Message) {
	fmt.Fprintf(out, "Mail to %s: %s\n\n  %s\n\n", m.To, m.Subject,
		strings.ReplaceAll(strings.TrimSpace(m.Text), "\n", "\n  "))
}

// introduce prints the running services and what to try.
func introduce(out io.Writer, address, key, log string, registries *upstreamtest.Registries) error {
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}

	companies, err := upstreamtest.Companies()
	if err != nil {
		return err
	}

	var text bytes.Buffer
	err = introduction.Execute(&text, map[string]any{
		"Base": address, "Key": key, "DataDir": os.Getenv("RODATA_DATA_DIR"), "Log": log, "Registries": registries,
		"Company": companies[0], "Faults": upstreamtest.FaultNumbers, "VATFaults": upstreamtest.VATFaults,
		"Changing": upstreamtest.NumberChanging,
	})
	if err != nil {
		return err
	}

	_, err = out.Write(text.Bytes())
	return err
}

var introduction = template.Must(template.New("introduction").Parse(`
The rodata sandbox serves {{.Base}}

  Pages           {{.Base}}/
  REST            {{.Base}}/v1
  MCP             {{.Base}}/mcp
  API key         {{.Key}}
  Data directory  {{.DataDir}}
  Log             {{or .Log "on standard error"}}
  Stand-ins       ANAF {{.Registries.ANAF.URL}}, its files {{.Registries.Files.URL}},
                  ONRC {{.Registries.ONRC.URL}}, BNR {{.Registries.BNR.URL}},
                  VIES {{.Registries.VIES.URL}}

Try:

  curl -i {{.Base}}/v1/companies/{{.Company.CUI}}
  curl {{.Base}}/v1/vat-numbers/DE811569869
  curl '{{.Base}}/v1/fx-rates?date=2026-06-10&currency=EUR,USD'
  curl '{{.Base}}/v1/fx-rates/history?currency=EUR&from=2026-06-01&to=2026-06-30'
  curl '{{.Base}}/v1/fx-rates/convert?amount=2500&from=EUR&to=USD&date=2026-06-10'
  curl {{.Base}}/v1/status
  curl {{.Base}}/mcp -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_company","arguments":{"cui":"{{.Company.CUI}}"}}}'

With the key of an account that the sandbox opened:

  curl '{{.Base}}/v1/companies/{{.Company.CUI}}?include=legalRepresentatives' -H 'Authorization: Bearer {{.Key}}'
  curl {{.Base}}/v1/keys -H 'Authorization: Bearer {{.Key}}' -H 'Content-Type: application/json' -d '{"name":"ERP"}'

Company numbers that fail:
{{range .Faults}}
  {{.CUI}}  {{.Status}}: {{.Happens}}{{end}}

VAT numbers that fail:
{{range .VATFaults}}
  {{printf "%-14s" .Number}}  {{.Status}}: {{.Happens}}{{end}}

A company to watch: its VAT registration changes about every ten seconds:

  curl -X PUT {{.Base}}/v1/watchlists/default/companies/{{.Changing}} -H 'Authorization: Bearer {{.Key}}'

Mails are printed here instead of sent. Stop with Ctrl-C.

`))
