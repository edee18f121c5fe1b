package main

import (
	"errors"
	"io/fs"
	"os"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/spf13/cobra"

	"github.com/rodata/rodata"
)

func init() {
	caddyconfig.RegisterAdapter("rodata", shippedAdapter{})
	cobra.OnInitialize(func() { useShipped(sandboxCommand.Root()) })
}

// shippedAdapter is the config adapter rodata: it reads a Caddyfile, and takes an
// empty file for the one in the program.
type shippedAdapter struct{}

// Adapt implements caddyconfig.Adapter.
func (shippedAdapter) Adapt(body []byte, options map[string]any) ([]byte, []caddyconfig.Warning, error) {
	if len(body) == 0 {
		body, options = rodata.Caddyfile, map[string]any{"filename": "Caddyfile"}
	}
	return caddyconfig.GetAdapter("caddyfile").Adapt(body, options)
}

// useShipped makes the Caddyfile in the program the default of every command
// that takes a configuration, in a folder that has no Caddyfile.
func useShipped(root *cobra.Command) {
	if _, err := os.Stat("Caddyfile"); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	for _, command := range root.Commands() {
		flags := command.Flags()
		config, adapter, resume := flags.Lookup("config"), flags.Lookup("adapter"), flags.Lookup("resume")
		if config == nil || adapter == nil || config.Changed || adapter.Changed || resume != nil && resume.Changed {
			continue
		}
		config.Value.Set(os.DevNull)
		adapter.Value.Set("rodata")
	}
}
