package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/spf13/cobra"

	"github.com/rodata/rodata"
)

func init() { caddyconfig.RegisterAdapter("rodata", shippedAdapter{}) }

// shippedAdapter is the config adapter rodata: it reads a Caddyfile, and takes an
// empty file for the one in the program.
type shippedAdapter struct{}

// Adapt implements caddyconfig.Adapter.
func (shippedAdapter) Adapt(body []byte, options map[string]any) ([]byte, []caddyconfig.Warning, error) {
	caddyfile := caddyconfig.GetAdapter("caddyfile")
	if len(body) > 0 {
		return caddyfile.Adapt(body, options)
	}
	adapted, warnings, err := caddyfile.Adapt(rodata.Caddyfile, map[string]any{"filename": "Caddyfile"})
	if err == nil {
		adapted, err = nameBuiltIn(adapted)
	}
	return adapted, warnings, err
}

// nameBuiltIn has the log call the empty file, which Caddy reads and names, what it
// stands for.
func nameBuiltIn(adapted []byte) ([]byte, error) {
	var config object
	if err := json.Unmarshal(adapted, &config); err != nil {
		return nil, err
	}
	fields := member(config, "logging", "logs", "default", "encoder", "fields")
	fields["file"] = object{"filter": "regexp", "regexp": "^" + os.DevNull + "$", "value": configName("", true)}
	return json.Marshal(config)
}

type object = map[string]any

// member is an object inside another, by the names on the way.
func member(o object, names ...string) object {
	for _, name := range names {
		o = o[name].(object)
	}
	return o
}

// useBuiltIn makes the Caddyfile in the program what a command reads, if it takes a
// configuration, none is given, and the folder has no Caddyfile; it reports whether
// it did.
func useBuiltIn(cmd *cobra.Command) bool {
	if _, err := os.Stat("Caddyfile"); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	flags := cmd.Flags()
	config, adapter, resume := flags.Lookup("config"), flags.Lookup("adapter"), flags.Lookup("resume")
	if config == nil || adapter == nil || config.Changed || adapter.Changed || resume != nil && resume.Changed {
		return false
	}
	config.Value.Set(os.DevNull)
	adapter.Value.Set("rodata")
	return true
}
