package settings

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/rodata/rodata/caddymodule/internal/option"
)

// Upstreams are the settings for each registry. A registry that the configuration does not name has its defaults.
type Upstreams struct {
	ANAF      ANAF      `json:"anaf,omitzero"`
	ANAFFiles ANAFFiles `json:"anaf_files,omitzero"`
	BNR       BNR       `json:"bnr,omitzero"`
	ONRC      ONRC      `json:"onrc,omitzero"`
	VIES      VIES      `json:"vies,omitzero"`
}

// reader reads the name of a registry and the block of its settings.
func (u *Upstreams) reader() option.Reader {
	unread := map[string]option.Table{
		"anaf": u.ANAF.rows(), "anaf_files": u.ANAFFiles.rows(), "bnr": u.BNR.rows(), "onrc": u.ONRC.rows(),
		"vies": u.VIES.rows(),
	}
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
		return rows.Parse(d)
	}
}

// prepare resolves and checks the settings.
func (u *Upstreams) prepare() error {
	for _, registry := range []struct {
		name    string
		prepare func() error
	}{
		{"anaf", u.ANAF.prepare}, {"anaf_files", u.ANAFFiles.prepare}, {"bnr", u.BNR.prepare}, {"onrc", u.ONRC.prepare},
		{"vies", u.VIES.prepare},
	} {
		if err := registry.prepare(); err != nil {
			return fmt.Errorf("upstream %s: %w", registry.name, err)
		}
	}

	return nil
}
