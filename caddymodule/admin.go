package caddymodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/api"
)

func init() { caddy.RegisterModule(new(Admin)) }

// Admin is the Caddy module admin.api.rodata, what an operator does to a running
// gateway through Caddy's admin API:
//
//	GET    /rodata/sources                state of the registries
//	DELETE /rodata/cache/companies/{cui}  forgets a company
type Admin struct {
	ctx caddy.Context
}

// CaddyModule returns the module's registration.
func (*Admin) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "admin.api.rodata", New: func() caddy.Module { return new(Admin) }}
}

// Provision keeps the context: the app is provisioned after the admin API.
func (a *Admin) Provision(ctx caddy.Context) error {
	a.ctx = ctx
	return nil
}

// Routes are the addresses below /rodata.
func (a *Admin) Routes() []caddy.AdminRoute {
	return []caddy.AdminRoute{
		{Pattern: "/rodata/sources", Handler: caddy.AdminHandlerFunc(a.sources)},
		{Pattern: "/rodata/cache/companies/{cui}", Handler: caddy.AdminHandlerFunc(a.forget)},
	}
}

func (a *Admin) sources(w http.ResponseWriter, r *http.Request) error {
	return a.with(r, http.MethodGet, func(s *service) error {
		w.Header().Set("Content-Type", "application/json")
		return json.NewEncoder(w).Encode(s.sources())
	})
}

func (a *Admin) forget(w http.ResponseWriter, r *http.Request) error {
	return a.with(r, http.MethodDelete, func(s *service) error {
		var cui api.CUI
		if err := cui.UnmarshalText([]byte(r.PathValue("cui"))); err != nil {
			return caddy.APIError{HTTPStatus: http.StatusBadRequest, Err: fmt.Errorf("reading the CUI: %w", err)}
		}
		if err := s.companies.Forget(cui); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	})
}

// with runs an action on the open service.
func (a *Admin) with(r *http.Request, method string, action func(*service) error) error {
	if r.Method != method {
		return caddy.APIError{HTTPStatus: http.StatusMethodNotAllowed, Err: fmt.Errorf("use %s", method)}
	}
	found, err := a.ctx.AppIfConfigured("rodata")
	if err != nil {
		return caddy.APIError{HTTPStatus: http.StatusNotFound, Err: err}
	}
	app := found.(*App)
	if !app.Enter() {
		return caddy.APIError{HTTPStatus: http.StatusServiceUnavailable, Err: errors.New("the gateway is not open")}
	}
	defer app.Leave()
	return action(app.service.Load())
}

var (
	_ caddy.Provisioner = (*Admin)(nil)
	_ caddy.AdminRouter = (*Admin)(nil)
)
