package caddymodule

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// Upstreams are the settings for each registry. A registry that the configuration
// does not name has its defaults.
type Upstreams struct {
	ANAF ANAF `json:"anaf,omitzero"`
	BNR  BNR  `json:"bnr,omitzero"`
	ONRC ONRC `json:"onrc,omitzero"`
}

// read reads the name of a registry and the block of its settings.
func (u *Upstreams) read() reader {
	unread := map[string]options{"anaf": u.ANAF.options(), "bnr": u.BNR.options(), "onrc": u.ONRC.options()}
	names := slices.Sorted(maps.Keys(unread))
	known := strings.Join(names, ", ")

	return func(d *caddyfile.Dispenser) error {
		if !d.NextArg() {
			return d.Errf("upstream needs a name: %s", known)
		}
		name := d.Val()
		rows, ok := unread[name]
		switch {
		case !slices.Contains(names, name):
			return d.Errf("unknown upstream %q; there are: %s", name, known)
		case !ok:
			return d.Errf("upstream %s is given twice", name)
		}
		delete(unread, name)
		return rows.parse(d)
	}
}

// prepare resolves and checks the settings; it opens nothing.
func (u *Upstreams) prepare() error {
	for _, registry := range []struct {
		name    string
		prepare func() error
	}{
		{"anaf", u.ANAF.prepare}, {"bnr", u.BNR.prepare}, {"onrc", u.ONRC.prepare},
	} {
		if err := registry.prepare(); err != nil {
			return fmt.Errorf("upstream %s: %w", registry.name, err)
		}
	}
	return nil
}
