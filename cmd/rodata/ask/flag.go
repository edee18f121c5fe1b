package ask

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rodata/rodata/client"
	"github.com/rodata/rodata/ro"
)

// FlagError returns the error for a wrong flag of a command.
func FlagError(cmd *cobra.Command, err error) error {
	if known, ok := errors.AsType[*failure](err); ok {
		return known
	}
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		err = wrongValue(wrong)
	}
	return WrongUsage("%w; \"%s --help\" lists the flags", err, cmd.CommandPath())
}

// wrongValue returns the error for a value that is no number or switch, without the words of Go's parsers.
func wrongValue(err *pflag.InvalidValueError) error {
	flag := err.GetFlag()
	switch flag.Value.Type() {
	case "int", "int64":
		return fmt.Errorf("--%s must be a whole number, not %q", flag.Name, err.GetValue())
	case "bool":
		return fmt.Errorf("--%s is given alone, or as --%s=false, not with %q", flag.Name, flag.Name, err.GetValue())
	}

	return err
}

// parsedFlag is a flag whose text is parsed when it is set. It implements pflag.Value.
type parsedFlag struct {
	text  string
	parse func(text string) error
}

func (f *parsedFlag) String() string { return f.text }
func (f *parsedFlag) Type() string   { return "string" }

// Set implements pflag.Value. An empty text is the same as no flag.
func (f *parsedFlag) Set(text string) error {
	f.text = text
	return f.parse(text)
}

// dayFlag adds a flag with a day.
func dayFlag(cmd *cobra.Command, into *client.Date, name, usage string) {
	cmd.Flags().Var(&parsedFlag{parse: func(text string) (err error) {
		if *into = (client.Date{}); text != "" {
			*into, err = parseDay(text)
		}
		if err != nil {
			return WrongUsage("--%s: %w", name, err)
		}
		return nil
	}}, name, usage)
}

// parseDay parses a day as the gateway does, times with a zone included.
func parseDay(text string) (client.Date, error) {
	d, err := ro.ParseDate(text)
	if err != nil {
		return client.Date{}, fmt.Errorf("%q is not a day; write it as 2026-06-10 or 10.06.2026", text)
	}
	return client.DateOf(d.UTC()), nil
}

// choiceFlag adds a flag that is yes or no; nil if it is absent.
func choiceFlag(cmd *cobra.Command, into **bool, name, usage string) {
	cmd.Flags().Var(&parsedFlag{parse: func(text string) error {
		switch *into = nil; text {
		case "":
		case "yes", "no":
			*into = new(text == "yes")
		default:
			return WrongUsage("--%s is yes or no, not %q", name, text)
		}

		return nil
	}}, name, usage)
	complete(cmd, name, []string{"yes", "no"})
}

// numberFlag adds a flag with a whole number. Without the flag, it is nil.
func numberFlag(cmd *cobra.Command, into **int64, name, usage string) {
	cmd.Flags().Var(&parsedFlag{parse: func(text string) error {
		if *into = nil; text == "" {
			return nil
		}

		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return WrongUsage("--%s is a whole number without separators, such as 1500000, not %q", name, text)
		}

		*into = &n
		return nil
	}}, name, usage)
}

// checkLimit checks the flag --limit of a command that shows a page.
func checkLimit(limit int) error {
	if limit < 1 || limit > 100 {
		return WrongUsage("--limit must be a whole number from 1 to 100, not %d", limit)
	}
	return nil
}
