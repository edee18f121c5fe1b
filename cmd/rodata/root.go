package main

import (
	"cmp"
	"errors"
	"reflect"

	"github.com/caddyserver/caddy/v2"
	"github.com/spf13/cobra"

	"github.com/rodata/rodata/cmd/rodata/ask"
	"github.com/rodata/rodata/cmd/rodata/command"
	"github.com/rodata/rodata/cmd/rodata/operate"
	"github.com/rodata/rodata/service"
)

// The groups in which help lists commands.
const (
	servingGroup = "serving"
	askingGroup  = "asking"
	gatewayGroup = "gateway"
	otherGroup   = "other"
	caddyGroup   = "caddy"
)

// newRoot returns the root command: rodata's commands, and Caddy's useful ones. It replaces caddycmd.Main, whose help
// has Caddy's examples and links.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:          "rodata",
		Long:         description,
		Example:      rootExamples,
		Version:      versionText(),
		SilenceUsage: true,
		Args:         cobra.ArbitraryArgs, // command.ShowSubcommands refuses them
		RunE:         command.ShowSubcommands,
	}

	root.AddGroup(
		&cobra.Group{ID: servingGroup, Title: "Serving:"},
		&cobra.Group{ID: askingGroup, Title: "Asking a gateway:"},
		&cobra.Group{ID: gatewayGroup, Title: "Looking after a running gateway:"},
		&cobra.Group{ID: otherGroup, Title: "Other:"},
		&cobra.Group{ID: caddyGroup, Title: "From Caddy:"},
	)

	add := func(group string, commands ...*cobra.Command) {
		for _, cmd := range commands {
			cmd.GroupID = group
			root.AddCommand(cmd)
		}
	}

	add(servingGroup, sandboxCommand(), stopCommand(), reloadCommand())
	add(askingGroup, ask.Commands(service.Version())...)
	add(gatewayGroup, operate.Commands()...)
	add(otherGroup, registerCommand(), versionCommand())
	addCaddyCommands(root)
	root.SetHelpCommandGroupID(otherGroup)
	root.SetCompletionCommandGroupID(otherGroup)
	addCobraCommands(root)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageTemplate(usageTemplate)
	root.SetFlagErrorFunc(ask.FlagError)
	return root
}

const description = `rodata serves Romanian public data (companies, CAEN codes, counties and localities,
exchange rates) over REST and MCP. It is the Caddy web server with modules.`

const rootExamples = `  rodata sandbox                             try it, without the internet
  rodata run                                 serve at https://localhost
  RODATA_ADDRESS=api.example.ro rodata run   serve a domain, with a certificate
  rodata get 9900000010                      ask a gateway for a company`

// usageTemplate is a shorter form of cobra's template.
const usageTemplate = `Usage:
  {{if .HasAvailableSubCommands}}{{.CommandPath}} <command>{{else}}{{.UseLine}}{{end}}
{{- if .HasExample}}

Examples:
{{.Example}}{{end}}
{{- if .HasAvailableSubCommands}}{{$all := .Commands}}{{if eq (len .Groups) 0}}

Commands:{{range $all}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{- else}}{{range $group := .Groups}}

{{.Title}}{{range $all}}{{if and (eq .GroupID $group.ID) (or .IsAvailableCommand (eq .Name "help"))}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{end}}{{end}}
{{- if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}
{{- if .HasAvailableSubCommands}}

"{{.CommandPath}} <command> --help" says more about a command.{{end}}
`

// exitCode returns the exit status for an error. It reads the status of Caddy's commands by reflection, because Caddy
// does not export the type of their errors.
func exitCode(err error) int {
	for ; err != nil; err = errors.Unwrap(err) {
		if v := reflect.Indirect(reflect.ValueOf(err)); v.Kind() == reflect.Struct {
			if code := v.FieldByName("ExitCode"); code.IsValid() && code.CanInt() {
				return int(code.Int())
			}
		}
	}

	return caddy.ExitCodeFailedStartup
}

// addCobraCommands adds cobra's own commands, with texts in the style of the others.
func addCobraCommands(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Use, cmd.Short, cmd.Long = "help [<command>]", "Shows the help of a command",
				"Shows the help of a command."
			cmd.Example = "  rodata help search"
			cmd.Run, cmd.RunE = nil, showHelp
		case "completion":
			cmd.Short = "Prints the script by which a shell completes commands"
			cmd.Long = `Prints the script by which a shell completes the commands of rodata, their flags, and
currencies and counties. "rodata completion bash --help" says where to put the
script of bash, and so on for the other shells.`
			cmd.Args, cmd.RunE = cobra.ArbitraryArgs, command.ShowSubcommands
			for _, shell := range cmd.Commands() {
				shell.Short = "Prints the script for " + shell.Name()
			}
		}
	}
}

// showHelp shows the help of a command, or refuses an unknown one.
func showHelp(cmd *cobra.Command, words []string) error {
	found, rest, err := cmd.Root().Find(words)
	if err != nil || found.HasSubCommands() && len(rest) > 0 {
		return command.ShowSubcommands(cmp.Or(found, cmd.Root()), rest)
	}

	found.InitDefaultHelpFlag() // as with --help
	found.InitDefaultVersionFlag()
	return found.Help()
}
