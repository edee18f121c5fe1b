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

// Table lists the options of a block in the Caddyfile: the name of each, and the reader of its arguments. A name
// with the suffix " ..." may occur several times. Unknown options, repeated ones and surplus arguments are errors with
// file and line.
type Table map[string]Reader

// Reader parses the arguments of an option. The dispenser is at the name of the option.
type Reader func(d *caddyfile.Dispenser) error

// Parse reads the block that opens on the dispenser's line, if there is one.
func (o Table) Parse(d *caddyfile.Dispenser) error {
	if d.NextArg() {
		return d.Errf("unexpected %q", d.Val())
	}

	lines := make(map[string]int)
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		name := d.Val()
		read, once := o[name]
		if !once {
			read = o[name+" ..."]
		}

		switch line, repeated := lines[name]; {
		case read == nil:
			return d.Errf("unknown option %q; %s", name, o.names())
		case once && repeated:
			return d.Errf("%s is given twice, first in line %d", name, line)
		}

		lines[name] = d.Line()
		if err := read(d); err != nil {
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
func Value[T any](field *T, read func(string) (T, error)) Reader {
	return func(d *caddyfile.Dispenser) error {
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
	}
}

// Text reads one argument and checks it, unless it has placeholders, which are resolved when the configuration is
// loaded.
func Text(field *string, checks ...func(string) error) Reader {
	return Value(field, func(s string) (string, error) {
		if strings.Contains(s, "{") {
			return s, nil
		}

		for _, check := range checks {
			if err := check(s); err != nil {
				return "", err
			}
		}

		return s, nil
	})
}

// Duration reads a duration, such as 90s, 24h or 30d.
func Duration(field *caddy.Duration) Reader {
	return Value(field, func(s string) (caddy.Duration, error) {
		d, err := caddy.ParseDuration(s)
		if err != nil || d <= 0 {
			return 0, fmt.Errorf("%q is not a duration such as 90s, 24h or 30d", s)
		}
		return caddy.Duration(d), nil
	})
}

// Number reads an integer of at least 1.
func Number(field *int) Reader {
	return Value(field, func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return 0, fmt.Errorf("%q is not a whole number of 1 or more", s)
		}
		return n, nil
	})
}

// Size reads a number of bytes, such as 64MiB, from a minimum up to a terabyte.
func Size(field *int64, least uint64) Reader {
	return Value(field, func(s string) (int64, error) {
		n, err := humanize.ParseBytes(s)
		if err != nil || n < least || n > humanize.TByte {
			return 0, fmt.Errorf("%q is not a size from %s to 1 TB, such as 64MiB", s, humanize.IBytes(least))
		}
		return int64(n), nil
	})
}

// Flag reads an option without arguments.
func Flag(field *bool) Reader {
	return func(*caddyfile.Dispenser) error {
		*field = true
		return nil
	}
}

// Words reads one or more arguments. Each must pass the checks.
func Words(field *[]string, checks ...func(string) error) Reader {
	return func(d *caddyfile.Dispenser) error {
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
	}
}

// Block reads a nested block.
func Block(o Table) Reader { return o.Parse }
