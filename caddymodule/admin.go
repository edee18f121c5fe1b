package caddymodule

import (
	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/caddymodule/adminapi"
)

func init() { caddy.RegisterModule(new(Admin)) }

// Admin is the Caddy module admin.api.rodata: the routes of adminapi.
type Admin struct{}

// CaddyModule returns the module's registration.
func (*Admin) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "admin.api.rodata", New: func() caddy.Module { return new(Admin) }}
}

// Provision adds the gateway's metrics to /metrics of the admin API, even if the configuration fails to load later.
func (*Admin) Provision(ctx caddy.Context) error { return expose(ctx.GetMetricsRegistry()) }

// Routes returns the routes.
func (*Admin) Routes() []caddy.AdminRoute { return adminapi.Routes() }

var (
	_ caddy.Provisioner = (*Admin)(nil)
	_ caddy.AdminRouter = (*Admin)(nil)
)
