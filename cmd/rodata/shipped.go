package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/spf13/cobra"

	"github.com/rodata/rodata"
)

// shipped is the config adapter rodata.
var shipped = new(shippedAdapter)

func init() { caddyconfig.RegisterAdapter("rodata", shipped) }

// shippedAdapter adapts a Caddyfile, or the built-in one if the file is empty, and applies guard.
type shippedAdapter struct {
	// check, if set, is called once, with the first Caddyfile and its adapted form. A command sets it before it reads
	// its configuration.
	check func(caddyfile, adapted []byte) error
}

// Adapt implements caddyconfig.Adapter.
func (s *shippedAdapter) Adapt(body []byte, options map[string]any) ([]byte, []caddyconfig.Warning, error) {
	builtIn := len(body) == 0
	if builtIn {
		body, options = rodata.Caddyfile, map[string]any{"filename": "Caddyfile"}
	}

	unsetEmpty()
	if err := checkValues(body); err != nil {
		return nil, nil, err
	}

	adapted, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt(body, options)
	if err != nil {
		return nil, warnings, err
	}

	var config object
	if err := json.Unmarshal(adapted, &config); err != nil {
		return nil, warnings, err
	}
	if builtIn { // the log does not name the empty file
		fields := member(config, "logging", "logs", "default", "encoder", "fields")
		fields["file"] = object{"filter": "regexp", "regexp": "^" + os.DevNull + "$", "value": configName("", true)}
	}

	guard(config)
	if adapted, err = json.Marshal(config); err == nil && s.check != nil {
		check := s.check
		s.check = nil // a configuration that a running gateway reads again is served at the same addresses
		err = check(body, adapted)
	}

	return adapted, warnings, err
}

type object = map[string]any

// member returns the object at a path inside another.
func member(o object, names ...string) object {
	for _, name := range names {
		o = o[name].(object)
	}
	return o
}

// chooseConfig makes a command read Caddyfiles with the adapter rodata. If none is given and the folder has none, it
// chooses the built-in one and reports true.
func chooseConfig(cmd *cobra.Command) (builtIn bool) {
	flags := cmd.Flags()
	config, adapter, resume := flags.Lookup("config"), flags.Lookup("adapter"), flags.Lookup("resume")
	if config == nil || adapter == nil || resume != nil && resume.Changed {
		return false
	}
	if cert := flags.Lookup("cert"); cert != nil && cert.Changed { // untrust, which then needs no configuration
		return false
	}

	if !config.Changed && !adapter.Changed {
		_, err := os.Stat("Caddyfile")
		builtIn = errors.Is(err, fs.ErrNotExist)
		config.Value.Set("Caddyfile")
		if builtIn {
			config.Value.Set(os.DevNull)
		}
	}

	if name := adapter.Value.String(); name == "caddyfile" ||
		name == "" && (builtIn || isCaddyfile(config.Value.String())) {
		adapter.Value.Set("rodata")
	}

	return builtIn
}

// isCaddyfile reports whether Caddy recognizes a file as a Caddyfile by its name.
func isCaddyfile(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return filepath.Ext(name) != ".json" &&
		(strings.HasPrefix(name, "caddyfile") || strings.HasSuffix(name, ".caddyfile"))
}
