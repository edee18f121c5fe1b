package caddymodule

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/compat"
)

func init() {
	caddy.RegisterModule(new(CompatHandler))
	// RegisterHandlerDirective cannot be used, because it would treat the path as a matcher.
	httpcaddyfile.RegisterDirective("rodata_compat", parseCompat)
	httpcaddyfile.RegisterDirectiveOrder("rodata_compat", httpcaddyfile.After, "encode")
}

// CompatHandler is the Caddy handler http.handlers.rodata_compat: the registries' own protocols, for programs written
// for them. It answers at the registries' paths and passes all other requests on. In a Caddyfile:
//
//	rodata_compat [<prefix>]
type CompatHandler struct {
	// Prefix precedes the registries' paths, as /registries; empty for none.
	Prefix string `json:"prefix,omitempty"`

	guest
}

// CaddyModule returns the handler's registration.
func (*CompatHandler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.rodata_compat", New: func() caddy.Module { return new(CompatHandler) }}
}

// Validate rejects a prefix that would make all paths unreachable.
func (h *CompatHandler) Validate() error { return checkPrefix(h.Prefix) }

func checkPrefix(prefix string) error {
	if prefix != "" && (!strings.HasPrefix(prefix, "/") || strings.HasSuffix(prefix, "/") ||
		strings.ContainsAny(prefix, "*{}?#% ")) {
		return fmt.Errorf("the prefix %q of rodata_compat must be a path as /registries: it begins with a slash, and "+
			"does not end with one", prefix)
	}

	return nil
}

// ServeHTTP answers a request in a registry's protocol.
func (h *CompatHandler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	path, ours := strings.CutPrefix(r.URL.Path, h.Prefix)
	if !ours || !compat.Handles(path) {
		return next.ServeHTTP(w, r)
	}

	s := h.app.enter()
	if s == nil {
		compat.Refuse(w, r, restartingProblem())
		return nil
	}
	defer s.Leave()

	http.StripPrefix(h.Prefix, http.HandlerFunc(func(w http.ResponseWriter, stripped *http.Request) {
		defer func() { r.Pattern = h.Prefix + stripped.Pattern }() // for the access log
		s.Compat.ServeHTTP(w, stripped)
	})).ServeHTTP(w, r)
	return nil
}

// parseCompat reads the directive rodata_compat.
func parseCompat(h httpcaddyfile.Helper) ([]httpcaddyfile.ConfigValue, error) {
	h.Next() // the directive's name
	c := new(CompatHandler)
	if h.NextArg() {
		c.Prefix = h.Val()
		if err := checkPrefix(c.Prefix); err != nil {
			return nil, h.WrapErr(err)
		}
	}

	if err := (option.Table{}).Parse(h.Dispenser); err != nil {
		return nil, err
	}

	return h.NewRoute(nil, c), nil
}

var _ caddy.Validator = (*CompatHandler)(nil)
