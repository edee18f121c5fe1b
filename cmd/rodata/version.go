package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/spf13/cobra"

	"github.com/rodata/rodata/cmd/rodata/command"
	"github.com/rodata/rodata/service"
)

func versionCommand() *cobra.Command {
	cmd := command.New("version", "Prints the versions of rodata and Caddy", `
Prints the version of rodata, the commit that it was built from, and the versions of
Caddy and Go in it. The commit is known when it was built in a git repository, or
with "go install" by its version.`, "rodata version", 0)
	asJSON := cmd.Flags().Bool("json", false, "Print the versions as JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *asJSON {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(buildOf(buildInfo()))
		}

		_, err := fmt.Fprintln(cmd.OutOrStdout(), versionText())
		return err
	}

	return cmd
}

// build describes the source of a program.
type build struct {
	Rodata   string `json:"rodata"`
	Commit   string `json:"commit,omitempty"` // empty if unknown
	Date     string `json:"date,omitempty"`   // of the commit
	Modified bool   `json:"modified"`         // after the commit
	Caddy    string `json:"caddy"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func buildInfo() *debug.BuildInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return new(debug.BuildInfo)
	}
	return info
}

func buildOf(info *debug.BuildInfo) build {
	caddyVersion, _ := caddy.Version()
	b := build{
		Rodata: service.Version(), Caddy: caddyVersion, Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}

	if b.Commit == "" { // a pseudo-version ends with 12 digits of the commit
		if parts := strings.Split(info.Main.Version, "-"); len(parts) > 2 && len(parts[len(parts)-1]) == 12 {
			b.Commit = parts[len(parts)-1]
		}
	}

	return b
}

// versionText is the output of "rodata version" and "rodata --version".
func versionText() string {
	b := buildOf(buildInfo())
	commit := cmp.Or(b.Commit, "unknown")
	if b.Date != "" {
		commit += " of " + b.Date
	}
	if b.Modified {
		commit += ", modified"
	}

	return fmt.Sprintf("rodata %s (commit %s)\nCaddy %s\n%s %s", b.Rodata, commit, b.Caddy, b.Go, b.Platform)
}
