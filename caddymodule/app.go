// Package caddymodule is rodata as a set of modules for the Caddy web server: the app
// rodata, whose settings are in the package settings, and the handlers of its channels.
// It puts the packages that do the work together, keeps what outlives a configuration,
// and holds no rule of the contract.
package caddymodule

import (
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/caddymodule/settings"
)

func init() { caddy.RegisterModule(new(App)) }

// App is the Caddy app rodata. Its state lives beyond it: in the data directory, and in
// what one configuration passes to the next.
type App struct {
	settings.Settings

	ctx    caddy.Context // in which the other apps are
	logger *slog.Logger

	announcing sync.Once

	mu      sync.Mutex // serializes open and Cleanup
	closed  bool
	service atomic.Pointer[service] // nil until opened
}

// CaddyModule returns the app's registration.
func (*App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "rodata", New: func() caddy.Module { return new(App) }}
}

// Provision resolves the settings. It opens nothing: a configuration can be validated
// while another process serves from the same data directory.
func (a *App) Provision(ctx caddy.Context) error {
	a.ctx, a.logger = ctx, ctx.Slogger()
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
