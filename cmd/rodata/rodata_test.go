package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/testkit"
)

// caddyCommand is one of Caddy's commands, with the flags that matter here.
func caddyCommand(name string, flags ...string) *cobra.Command {
	c := &cobra.Command{Use: name, RunE: func(*cobra.Command, []string) error { return nil }}
	for _, f := range flags {
		c.Flags().String(f, "", "")
	}
	return c
}

func TestShippedConfigurationIsTheDefault(t *testing.T) {
	for name, c := range map[string]struct {
		caddyfile bool
		args      []string
		want      string // config and adapter
	}{
		"nothing given":             {args: []string{"run"}, want: os.DevNull + " rodata"},
		"a Caddyfile in the folder": {caddyfile: true, args: []string{"run"}, want: "Caddyfile rodata"},
		"a configuration given":     {args: []string{"run", "--config", "x.json"}, want: "x.json "},
		"a Caddyfile given": {args: []string{"run", "--config", "/etc/x/Caddyfile"},
			want: "/etc/x/Caddyfile rodata"},
		"a file of Caddyfile's kind": {args: []string{"run", "--config", "x.caddyfile"}, want: "x.caddyfile rodata"},
		"JSON by a Caddyfile's name": {args: []string{"run", "--config", "Caddyfile.json"}, want: "Caddyfile.json "},
		"Caddy's adapter given": {args: []string{"run", "--config", "x", "--adapter", "caddyfile"},
			want: "x rodata"},
		"an adapter given": {args: []string{"run", "--adapter", "yaml"}, want: " yaml"},
		"resuming":         {args: []string{"run", "--resume", "yes"}, want: " "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if c.caddyfile {
				testkit.NoError(t, os.WriteFile("Caddyfile", nil, 0o600))
			}

			run := caddyCommand("run", "config", "adapter", "resume")
			testkit.NoError(t, run.ParseFlags(c.args[1:]))
			if got, want := chooseConfig(run), c.want == os.DevNull+" rodata"; got != want {
				t.Errorf("it says %v", got)
			}

			config, _ := run.Flags().GetString("config")
			adapter, _ := run.Flags().GetString("adapter")
			if got := config + " " + adapter; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAdapter(t *testing.T) {
	shipped, _, err := new(shippedAdapter).Adapt(nil, nil)
	if err != nil || !bytes.Contains(shipped, []byte(`"handler":"rodata"`)) {
		t.Errorf("got %s %v", shipped, err)
	}
	if !bytes.Contains(shipped, []byte(`"file":{"filter":"regexp","regexp":"^/dev/null$","value":"the Caddyfile built into the program"}`)) {
		t.Errorf("the log would name %s: %s", os.DevNull, shipped)
	}

	own, _, err := new(shippedAdapter).Adapt([]byte(":8080\nrespond ok\n"), map[string]any{"filename": "Caddyfile"})
	if err != nil || bytes.Contains(own, []byte(`"handler":"rodata"`)) || !bytes.Contains(own, []byte(`"body":"ok"`)) {
		t.Errorf("got %s %v", own, err)
	}
}
