package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// TestMistypedVariables verifies that a variable without an effect, or with a value that Caddy would take for something
// else, is an error.
func TestMistypedVariables(t *testing.T) {
	for name, c := range map[string]struct{ variable, value, want string }{
		"a name":                {"RODATA_ADDRES", "api.example.ro", "RODATA_ADDRES is not a setting: did you mean RODATA_ADDRESS?"},
		"a name like no other":  {"RODATA_QQQQQQQQQQQQQQQQQQ", "1", "RODATA_QQQQQQQQQQQQQQQQQQ is not a setting: remove it"},
		"a scheme":              {"RODATA_ADDRESS", "htp:/x", `RODATA_ADDRESS is "htp:/x"`},
		"a path":                {"RODATA_ADDRESS", "http://127.0.0.1:8080/v1", "without a path"},
		"one of two addresses":  {"RODATA_ADDRESS", "api.example.ro, ftp://api.example.ro", `"ftp://api.example.ro"`},
		"a switch":              {"RODATA_HSTS", "of", `RODATA_HSTS is "of": use on or off`},
		"a port":                {"RODATA_ADDRESS", "127.0.0.1:99999", `"127.0.0.1:99999": a port is a number`},
		"a port of letters":     {"RODATA_ADDRESS", "http://127.0.0.1:http", `"http://127.0.0.1:http": a port is a number`},
		"no address to bind to": {"RODATA_BIND", "127.0.0.1 300.1.1.1", `RODATA_BIND is "300.1.1.1": give addresses of this machine`},
		"of another machine":    {"RODATA_BIND", "192.0.2.1", `RODATA_BIND is "192.0.2.1"`},
		"addresses to bind to":  {"RODATA_BIND", "127.0.0.1 unix//run/site.sock", ""},
		"an empty address":      {"RODATA_ADDRESS", "", ""},
		"an empty number":       {"RODATA_EDGES", "", ""},
		"an address":            {"RODATA_ADDRESS", "https://api.example.ro:8443", ""},
		"two addresses":         {"RODATA_ADDRESS", "api.example.ro, [::1]:8080", ""},
		"a switch that is off":  {"RODATA_HSTS", "off", ""},
		"a variable of clients": {"RODATA_KEY", "x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(c.variable, c.value)
			s := &shippedAdapter{check: func(caddyfile, _ []byte) error {
				return checkNames(caddyfile, []string{c.variable + "=" + c.value})
			}}

			_, _, err := s.Adapt(nil, nil)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// Errors name the variable to correct, and not how Caddy came to it.
func TestErrorsNameTheVariable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	testkit.NoError(t, os.WriteFile(file, nil, 0o600))
	unwritable := func(dir string) string {
		return "the configuration is not valid: data_dir: " + dir + " cannot be written: no file can be created in " +
			file + " (not a directory); make this folder writable for the user that runs the gateway, or set another " +
			"directory (RODATA_DATA_DIR)"
	}
	for name, c := range map[string]struct{ variable, value, want string }{
		"a file for a directory": {"RODATA_DATA_DIR", file, unwritable(file)},
		"a directory in a file":  {"RODATA_DATA_DIR", file + "/a/data", unwritable(file + "/a/data")},
		"of the app": {"RODATA_OBSERVE", "tot", `the configuration is not valid: observe: companies: "tot" is unknown; ` +
			"use watched, seen, in_operation or all (RODATA_OBSERVE)"},
		"of Caddy": {"RODATA_TRUSTED_PROXIES", "router", "the configuration is not valid: invalid IP address: 'router': " +
			`ParseAddr("router"): unable to parse IP (RODATA_TRUSTED_PROXIES)`},
		"in the Caddyfile": {"RODATA_EDGES", "trei", `"trei" is not a whole number of 1 or more`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("RODATA_DATA_DIR", t.TempDir())
			t.Setenv(c.variable, c.value)
			root := newRoot()
			root.SetArgs([]string{"validate"})
			err := root.ExecuteContext(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "provision") {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
