package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"github.com/rodata/rodata/cmd/rodata/command"
)

// addCaddyCommands adds Caddy's commands, with the texts of caddyTexts. It omits commands that would replace this
// program with a build of Caddy, and commands that rodata replaces with its own.
func addCaddyCommands(root *cobra.Command) {
	all := caddycmd.Commands()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if slices.Contains([]string{
			"version", "stop", "reload", "upgrade", "add-package", "remove-package", "manpage", "completion",
		}, name) {
			continue
		}

		cmd := fromCaddy(all[name])
		cmd.GroupID = caddyGroup
		if text, ok := caddyTexts[name]; ok {
			cmd.GroupID = servingGroup
			cmd.Use, cmd.Short, cmd.Long, cmd.Example = name+" "+text.usage, text.short, strings.TrimSpace(text.long),
				text.example
		}

		root.AddCommand(cmd)
	}
}

// caddyText is the help text for one of Caddy's commands in this program.
type caddyText struct{ usage, short, long, example string }

var caddyTexts = map[string]caddyText{
	"run": {"[--config <file>] [--watch] [--envfile <file>] [flags]", "Serves, until it is stopped", `
Serves from the registries. The configuration is the file that --config names, else
the Caddyfile in this folder, else the Caddyfile that is built into the program,
whose settings are environment variables: RODATA_ADDRESS, RODATA_DATA_DIR and others.

On a terminal it prints where it serves; the log, on standard error, says so too.
It stops after SIGTERM or Ctrl-C, once the requests in flight are answered.`,
		`  rodata run
  RODATA_ADDRESS=http://127.0.0.1:8080 rodata run
  rodata run --config /etc/rodata/Caddyfile`},
	"start": {"[--config <file>] [--watch] [--envfile <file>] [flags]", "Serves in the background", `
Starts "rodata run" in the background, and returns once it serves or has failed.
"rodata stop" stops it.`,
		`  rodata start
  rodata stop`},
	"validate": {"[--config <file>] [flags]", "Checks a configuration", `
Loads a configuration and checks it, without serving: the file that --config names,
else the Caddyfile in this folder, else the built-in Caddyfile. Run it as the user
of the gateway and with its environment variables: a data directory that this user
cannot write and a variable RODATA_... that no setting reads are errors.`,
		`  rodata validate
  rodata validate --config /etc/rodata/Caddyfile`},
}

// fromCaddy returns one of Caddy's commands, adapted to this program.
func fromCaddy(c caddycmd.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: strings.TrimSpace(c.Name + " " + c.Usage), Short: c.Short, Long: ownName(strings.TrimSpace(c.Long)),
	}
	if c.CobraFunc != nil {
		c.CobraFunc(cmd)
	} else {
		cmd.RunE = caddycmd.WrapCommandFuncForCobra(c.Func)
		cmd.Flags().AddGoFlagSet(c.Flags)
	}

	cmd.Example = ownName(cmd.Example)
	for _, subcommand := range cmd.Commands() {
		subcommand.Long = ownName(strings.TrimSpace(subcommand.Long))
	}

	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			builtIn := chooseConfig(cmd)
			switch cmd.Name() {
			case "run":
				announceOnTerminal(cmd, builtIn)
				shipped.check = func(_, adapted []byte) error { return checkAddressesFree(adapted) }
			case "file-server", "reverse-proxy", "respond":
			case "validate":
				shipped.check = func(caddyfile, _ []byte) error { return checkNames(caddyfile, os.Environ()) }
				fallthrough
			default:
				logForPeople(cmd.ErrOrStderr())
			}

			err := run(cmd, args)
			cmd.SilenceErrors = false // print the error last, after any log lines
			if err != nil {
				return &plainError{err}
			}
			if builtIn && cmd.Name() == "validate" {
				fmt.Fprintln(cmd.OutOrStdout(),
					"It is the Caddyfile built into the program: this folder has none, and --config names none.")
			}

			return nil
		}
	}

	if cmd.RunE == nil && cmd.HasSubCommands() {
		cmd.RunE = command.ShowSubcommands
	}

	return cmd
}

// ownName replaces the command caddy by rodata in a text.
func ownName(text string) string {
	for _, before := range []string{"$ ", "> ", "'", "\"", "`"} {
		text = strings.ReplaceAll(text, before+"caddy ", before+"rodata ")
	}
	return text
}
