// Package caddymodule is rodata as a set of modules for the Caddy web server: the app rodata, whose settings are in the
// package settings, and the handlers of its channels. The package service does the work.
package caddymodule

import (
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/caddymodule/settings"
	"github.com/rodata/rodata/service"
	"github.com/rodata/rodata/site"
)

func init() { caddy.RegisterModule(new(App)) }

// App is the Caddy app rodata. It keeps its state elsewhere: in the data directory, and in values that configurations
// share.
type App struct {
	settings.Settings

	ctx    caddy.Context // gives access to the other apps
	logger *slog.Logger

	announcing sync.Once
	stacks     *stackPool

	mu      sync.Mutex // serializes open and Cleanup
	closed  bool
	running atomic.Pointer[service.Service] // nil until opened
	pages   atomic.Bool                     // reports whether a site of the configuration serves pages
	about   site.About                      // the texts of that site; written before the app starts
	sitemap bool                            // whether the sitemap of that site lists companies
}

// CaddyModule returns the app's registration.
func (*App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "rodata", New: func() caddy.Module { return new(App) }}
}

// Provision resolves the settings. It opens nothing: a configuration can be validated
// while another process serves from the same data directory.
func (a *App) Provision(ctx caddy.Context) error {
	a.ctx, a.logger, a.stacks = ctx, ctx.Slogger(), newStackPool()
	if err := expose(ctx.GetMetricsRegistry()); err != nil {
		return err
	}
	return a.Resolve()
}

var (
	_ caddy.App          = (*App)(nil)
	_ caddy.Provisioner  = (*App)(nil)
	_ caddy.Validator    = (*App)(nil)
	_ caddy.CleanerUpper = (*App)(nil)
)
