// Package command contains what the commands of the program share: groups of commands, and checks of their arguments.
package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rodata/rodata/cmd/rodata/ask"
	"github.com/rodata/rodata/internal/spelling"
)

// Group returns a command that lists its subcommands.
func Group(name, short string, subcommands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, RunE: ShowSubcommands}
	cmd.AddCommand(subcommands...)
	return cmd
}

// ShowSubcommands lists the subcommands, or refuses an unknown one.
func ShowSubcommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}

	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}

	hint := fmt.Sprintf("\"%s --help\" lists the commands", cmd.CommandPath())
	if similar := spelling.Nearest(args[0], names); similar != "" {
		hint = fmt.Sprintf("did you mean \"%s %s\"?", cmd.CommandPath(), similar)
	}

	return ask.WrongUsage("there is no command \"%s %s\"; %s", cmd.CommandPath(), args[0], hint)
}

// New returns a command with a number of arguments and with flags.
func New(use, short, long, example string, arguments int) *cobra.Command {
	return &cobra.Command{
		Use: use + " [flags]", Short: short, Long: strings.TrimSpace(long), Example: "  " + example,
		Args: takes(arguments, example),
	}
}

// takes returns a check of the number of arguments. Its error includes the example.
func takes(count int, example string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == count {
			return nil
		}
		return ask.WrongUsage("%s takes %s, but %s given, as in: %s", cmd.CommandPath(), argumentNames(cmd, count),
			givenClause(len(args)), example)
	}
}

// argumentNames returns the names of the first arguments in the usage line, joined for a sentence.
func argumentNames(cmd *cobra.Command, count int) string {
	var names []string
	for word := range strings.FieldsSeq(cmd.Use) {
		if strings.HasPrefix(word, "<") && len(names) < count {
			names = append(names, word)
		}
	}

	switch count {
	case 0:
		return "no arguments"
	case 1:
		return "one argument, " + names[0]
	default:
		return "the arguments " + strings.Join(names[:count-1], ", ") + " and " + names[count-1]
	}
}

// givenClause returns the subject and the verb of a clause about the number of arguments.
func givenClause(n int) string {
	switch n {
	case 0:
		return "none was"
	case 1:
		return "one was"
	default:
		return fmt.Sprintf("%d were", n)
	}
}
