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
func (*Admin) Routes() []caddy.AdminRoute {
	return adminapi.Routes(func() (*adminapi.Gateway, func()) {
		s := serving.enter()
		if s == nil {
			return nil, nil
		}
		return s.admin(), s.leave
	})
}

// admin is the part of the service that operators act on.
func (s *service) admin() *adminapi.Gateway {
	return &adminapi.Gateway{
		Store: s.store, Keys: s.keys, Auth: s.auth, Billing: s.billing, Invoices: s.invoices, Plans: s.gateway.Plans,
		BaseURL: s.baseURL, History: s.observed.DB, Receipts: s.receipts,
		Sources: s.sources, Mirror: s.mirrorStatus, Queues: s.queues, Forget: s.forget, Ready: s.ready,
		Exiting: caddy.Exiting,
	}
}

var (
	_ caddy.Provisioner = (*Admin)(nil)
	_ caddy.AdminRouter = (*Admin)(nil)
)
