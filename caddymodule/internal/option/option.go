// Package option parses blocks of the Caddyfile by tables of options.
package option

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/dustin/go-humanize"
)

// Table lists the options of a block by name. A name with the suffix " ..." may occur several times in the Caddyfile.
// Unknown options, repeated ones and surplus arguments are errors with file and line.
type Table map[string]Option

// Option is an option: how its arguments in the Caddyfile are read and, when a configuration is loaded, how its value
// is resolved and checked. Only read is required.
type Option struct {
	read    Reader
	resolve func(*caddy.Replacer) error
	check   func() error
}

// Reader parses the arguments of an option. The dispenser is at the name of the option.
type Reader func(d *caddyfile.Dispenser) error

// Read is an option with a reader of its own.
func Read(read Reader) Option { return Option{read: read} }

// Resolve replaces the placeholders in the options. The error names the first option, in the order of the names, that
// has an unknown one.
func (o Table) Resolve(repl *caddy.Replacer) error {
	return o.each(func(option Option) error {
		if option.resolve == nil {
			return nil
		}
		return option.resolve(repl)
	})
}

// Check checks the options, whose placeholders have been replaced.
func (o Table) Check() error {
	return o.each(func(option Option) error {
		if option.check == nil {
			return nil
		}
		return option.check()
	})
}

func (o Table) each(do func(Option) error) error {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if err := do(o[name]); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSuffix(name, " ..."), err)
		}
	}
	return nil
}

// Parse reads the block that opens on the dispenser's line, if there is one.
func (o Table) Parse(d *caddyfile.Dispenser) error {
	if d.NextArg() {
		return d.Errf("unexpected %q", d.Val())
	}

	lines := make(map[string]int)
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		name := d.Val()
		option, once := o[name]
		if !once {
			option = o[name+" ..."]
		}

		switch line, repeated := lines[name]; {
		case option.read == nil:
			return d.Errf("unknown option %q; %s", name, o.names())
		case once && repeated:
			return d.Errf("%s is given twice, first in line %d", name, line)
		}

		lines[name] = d.Line()
		if err := option.read(d); err != nil {
			return err
		}
		if d.NextArg() {
			return d.Errf("%s: unexpected %q", name, d.Val())
		}
	}

	return nil
}

// names lists the options.
func (o Table) names() string {
	if len(o) == 0 {
		return "there are no options here"
	}
	return "known here: " + strings.Join(slices.Sorted(maps.Keys(o)), ", ")
}

// Value reads one argument and parses it with read.
func Value[T any](field *T, read func(string) (T, error)) Option {
	return Read(func(d *caddyfile.Dispenser) error {
		name := d.Val()
		if !d.NextArg() {
			return d.Errf("%s needs a value", name)
		}

		v, err := read(d.Val())
		if err != nil {
			return d.Errf("%s: %v", name, err)
		}

		*field = v
		return nil
	})
}

// Text reads one argument and checks it, unless it has placeholders, which are resolved when the configuration is
// loaded: unknown ones are empty. An empty text stands for the default, and is not checked.
func Text(field *string, checks ...func(string) error) Option {
	check := func(text string) error {
		for _, check := range checks {
			if err := check(text); err != nil {
				return err
			}
		}
		return nil
	}
	option := Value(field, func(s string) (string, error) {
		if strings.Contains(s, "{") {
			return s, nil
		}
		return s, check(s)
	})
	option.resolve = func(repl *caddy.Replacer) error {
		*field = repl.ReplaceAll(*field, "")
		return nil
	}
	option.check = func() error {
		if *field == "" {
			return nil
		}
		return check(*field)
	}
	return option
}

// Secret is a Text whose placeholders must be known, and must not be those of an empty file: see [Replace].
func Secret(field *string, checks ...func(string) error) Option {
	option := Text(field, checks...)
	option.resolve = func(repl *caddy.Replacer) error { return Replace(repl, field) }
	return option
}

// Replace replaces the placeholders in a setting and removes the newline with which files end. It fails if a
// placeholder is unknown, or if its file is missing or empty: unlike a variable, a file is not left empty on purpose.
func Replace(repl *caddy.Replacer, field *string) error {
	written := *field
	value, err := repl.ReplaceOrErr(written, false, true)
	*field = strings.TrimRight(value, "\r\n")
	if err == nil && *field == "" && strings.Contains(written, "{file.") {
		return fmt.Errorf("the file of %s is missing or empty: write the value into it, or remove the setting", written)
	}
	return err
}

// Duration reads a duration, such as 90s, 24h or 30d.
func Duration(field *caddy.Duration) Option {
	return Value(field, func(s string) (caddy.Duration, error) {
		d, err := caddy.ParseDuration(s)
		if err != nil || d <= 0 {
			return 0, fmt.Errorf("%q is not a duration such as 90s, 24h or 30d", s)
		}
		return caddy.Duration(d), nil
	})
}

// Number reads an integer of at least 1.
func Number(field *int) Option {
	return Value(field, func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return 0, fmt.Errorf("%q is not a whole number of 1 or more", s)
		}
		return n, nil
	})
}

// Limit is a Number that must not be greater than another.
func Limit(field *int, most int) Option {
	option := Number(field)
	option.check = func() error {
		if *field < 0 || *field > most {
			return fmt.Errorf("give a number from 1 to %d, or leave it out", most)
		}
		return nil
	}
	return option
}

// Size reads a number of bytes, such as 64MiB, from a minimum up to a terabyte.
func Size(field *int64, least uint64) Option {
	return Value(field, func(s string) (int64, error) {
		n, err := humanize.ParseBytes(s)
		if err != nil || n < least || n > humanize.TByte {
			return 0, fmt.Errorf("%q is not a size from %s to 1 TB, such as 64MiB", s, humanize.IBytes(least))
		}
		return int64(n), nil
	})
}

// Flag reads an option without arguments.
func Flag(field *bool) Option {
	return Read(func(*caddyfile.Dispenser) error {
		*field = true
		return nil
	})
}

// Words reads one or more arguments. Each must pass the checks. Placeholders are resolved as those of a Text.
func Words(field *[]string, checks ...func(string) error) Option {
	option := Read(func(d *caddyfile.Dispenser) error {
		name := d.Val()
		if *field = d.RemainingArgs(); len(*field) == 0 {
			return d.Errf("%s needs at least one value", name)
		}

		for _, word := range *field {
			for _, check := range checks {
				if err := check(word); err != nil {
					return d.Errf("%s: %v", name, err)
				}
			}
		}

		return nil
	})
	option.resolve = func(repl *caddy.Replacer) error {
		for i, word := range *field {
			(*field)[i] = repl.ReplaceAll(word, "")
		}
		return nil
	}
	return option
}

// Block reads a nested block.
func Block(o Table) Option { return Option{o.Parse, o.Resolve, o.Check} }

// Part is a part of the configuration with a reader of its own, and with the options of a table, which is nil if there
// is no such part.
func Part(read Reader, options func() Table) Option {
	return Option{read,
		func(repl *caddy.Replacer) error { return options().Resolve(repl) },
		func() error { return options().Check() }}
}
