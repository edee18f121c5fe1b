package caddymodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/api"
)

func init() { caddy.RegisterModule(new(Admin)) }

// Admin is the Caddy module admin.api.rodata, what an operator and a load
// balancer ask of a running gateway through Caddy's admin API:
//
//	GET    /readyz                        200 when requests may be sent here, else 503
//	GET    /rodata/sources                state of the registries, as in /v1/status
//	GET    /rodata/queue                  what waits for a registry
//	DELETE /rodata/cache/companies/{cui}  forgets a company
//	POST   /rodata/backup?file=/path      copies the accounts to a new file
//
// and those of accountRoutes, with which accounts and keys are managed, of
// contactRoutes, with what people wrote to the operators, and of invoiceRoutes, with
// what was paid and invoiced.
type Admin struct{ exiting func() bool }

// CaddyModule returns the module's registration.
func (*Admin) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "admin.api.rodata", New: func() caddy.Module { return new(Admin) }}
}

// Provision makes the gateway's figures part of what the admin API shows at
// /metrics, whether the configuration that it comes with is one that works or not.
func (a *Admin) Provision(ctx caddy.Context) error {
	a.exiting = caddy.Exiting
	return expose(ctx.GetMetricsRegistry())
}

// Routes are the addresses that the module answers at.
func (a *Admin) Routes() []caddy.AdminRoute {
	return slices.Concat(a.accountRoutes(), a.contactRoutes(), a.invoiceRoutes(), []caddy.AdminRoute{
		{Pattern: "/readyz", Handler: caddy.AdminHandlerFunc(a.readyz)},
		{Pattern: "/rodata/sources", Handler: show(a, (*service).sources)},
		{Pattern: "/rodata/queue", Handler: show(a, (*service).queues)},
		{Pattern: "/rodata/cache/companies/{cui}", Handler: caddy.AdminHandlerFunc(a.forget)},
		{Pattern: "/rodata/backup", Handler: caddy.AdminHandlerFunc(a.backup)},
	})
}

// show answers with what the open service has to tell.
func show[T any](a *Admin, tell func(*service) T) caddy.AdminHandler {
	return caddy.AdminHandlerFunc(func(w http.ResponseWriter, r *http.Request) error {
		return a.with(w, r, http.MethodGet, func(s *service) error {
			w.Header().Set("Content-Type", "application/json")
			return json.NewEncoder(w).Encode(tell(s))
		})
	})
}

func (a *Admin) forget(w http.ResponseWriter, r *http.Request) error {
	return a.with(w, r, http.MethodDelete, func(s *service) error {
		var cui api.CUI
		if err := cui.UnmarshalText([]byte(r.PathValue("cui"))); err != nil {
			return caddy.APIError{HTTPStatus: http.StatusBadRequest, Err: fmt.Errorf("reading the CUI: %w", err)}
		}
		if err := s.forget(r.Context(), cui); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	})
}

// readyz tells whether requests may be sent here. Between the order to stop and
// the end of the last request they may not; /health is well all the while.
func (a *Admin) readyz(w http.ResponseWriter, r *http.Request) error {
	if a.exiting() {
		return unready(errors.New("the gateway is shutting down"))
	}
	return a.with(w, r, http.MethodGet, func(s *service) error {
		if err := s.ready(r.Context()); err != nil {
			return unready(err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, err := w.Write([]byte(`{"status":"ready"}` + "\n"))
		return err
	})
}

func unready(err error) error {
	return caddy.APIError{HTTPStatus: http.StatusServiceUnavailable, Err: err, Message: "not ready: " + err.Error()}
}

// with runs an action on the service that is open.
func (a *Admin) with(w http.ResponseWriter, r *http.Request, method string, action func(*service) error) error {
	if r.Method != method {
		w.Header().Set("Allow", method)
		return caddy.APIError{HTTPStatus: http.StatusMethodNotAllowed, Err: fmt.Errorf("use %s", method)}
	}
	s := serving.enter()
	if s == nil {
		return caddy.APIError{HTTPStatus: http.StatusServiceUnavailable, Err: errors.New("the gateway is not open")}
	}
	defer s.leave()
	return action(s)
}

var (
	_ caddy.Provisioner = (*Admin)(nil)
	_ caddy.AdminRouter = (*Admin)(nil)
)
