package mcp

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/dustin/go-humanize"

	"github.com/rodata/rodata/api"
)

func init() {
	caddy.RegisterModule(new(Module))
	httpcaddyfile.RegisterHandlerDirective("rodata_mcp", parseCaddyfile)
	httpcaddyfile.RegisterDirectiveOrder("rodata_mcp", httpcaddyfile.After, "encode")
}

// Service is what the Caddy app "rodata" does for this module.
type Service interface {
	// Enter counts a request in, so that what the gateway stands on stays open
	// until Leave. It reports false, and Leave must not be called, when the app
	// cannot serve or has been cleaned up. The other methods may be called between
	// the two; Gateway and Operations always give the same.
	Enter() bool
	Leave()
	Gateway() *api.Gateway
	Operations() []*api.Operation
	// URL is the address of the service without a final slash, as problems in
	// answers to the request name it.
	URL(*http.Request) string
	// Challenge is Options.Challenge.
	Challenge() string
}

// Module is the Caddy handler http.handlers.rodata_mcp: it answers at /mcp and
// passes all other requests on. In a Caddyfile:
//
//	rodata_mcp {
//		allowed_origins https://app.example.ro
//		max_body        256KiB
//		timeout         30s
//	}
type Module struct {
	// AllowedOrigins are the origins of web pages that may call, as
	// https://app.example.ro; * allows all. The service's own host and pages on
	// this machine's loopback address always may.
	AllowedOrigins []string `json:"allowed_origins,omitempty"`
	// MaxBody is how many bytes of a request are read at most; default 256 KiB.
	MaxBody int64 `json:"max_body,omitempty"`
	// Timeout is how long a tool call may take; default 30s.
	Timeout caddy.Duration `json:"timeout,omitempty"`

	service Service
	logger  *slog.Logger
	once    sync.Once
	handler *Handler
}

// CaddyModule returns the module's registration.
func (*Module) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.rodata_mcp", New: func() caddy.Module { return new(Module) }}
}

// Provision finds the app whose gateway answers.
func (m *Module) Provision(ctx caddy.Context) error {
	app, err := ctx.App("rodata")
	if err != nil {
		return fmt.Errorf("loading the app rodata: %w", err)
	}
	service, ok := app.(Service)
	if !ok {
		return fmt.Errorf("the app rodata is a %T, which does not serve MCP", app)
	}
	m.service, m.logger = service, ctx.Slogger()
	m.enlist()
	return nil
}

// latest has the module that was provisioned last, by its settings. A reload may
// close the configuration that a request came in with while its header was being
// read: the module in its place answers then.
var latest sync.Map

func (m *Module) enlist() { latest.Store(m.settings(), m) }

// settings tell modules apart that answer differently.
func (m *Module) settings() string { return fmt.Sprint(m.AllowedOrigins, m.MaxBody, m.Timeout) }

// Validate refuses settings under which nothing could be answered.
func (m *Module) Validate() error {
	if m.MaxBody < 0 || m.Timeout < 0 {
		return errors.New("max_body and timeout of rodata_mcp must be positive; leave them out for the defaults")
	}
	for _, origin := range m.AllowedOrigins {
		if err := checkOrigin(origin); err != nil {
			return err
		}
	}
	return nil
}

// Cleanup ends the streams that are still open.
func (m *Module) Cleanup() error {
	latest.CompareAndDelete(m.settings(), m)
	m.once.Do(func() {}) // after this no handler is made
	if m.handler != nil {
		m.handler.Close()
	}
	return nil
}

// ServeHTTP answers at /mcp.
func (m *Module) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if strings.TrimSuffix(r.URL.Path, "/") != Path {
		return next.ServeHTTP(w, r)
	}
	if !m.service.Enter() {
		if successor, ok := latest.Load(m.settings()); ok && successor != m {
			return successor.(*Module).ServeHTTP(w, r, next)
		}
		return caddyhttp.Error(http.StatusServiceUnavailable, errors.New("the app rodata is not running"))
	}
	defer m.service.Leave()
	// The gateway is complete once the app has started, which may be after the
	// web server has.
	m.once.Do(func() { m.handler = m.newHandler() })
	if m.handler == nil {
		return caddyhttp.Error(http.StatusServiceUnavailable, errors.New("the configuration has been replaced"))
	}
	m.handler.ServeHTTP(w, r)
	return nil
}

func (m *Module) newHandler() *Handler {
	return New(Options{
		Gateway:        m.service.Gateway(),
		Operations:     m.service.Operations(),
		BaseURL:        m.service.URL,
		Address:        clientAddress,
		AllowedOrigins: m.AllowedOrigins,
		MaxBody:        m.MaxBody,
		Timeout:        time.Duration(m.Timeout),
		Challenge:      m.service.Challenge(),
		Logger:         m.logger,
	})
}

// clientAddress is the address that Caddy takes for the client's, proxies that
// it trusts considered.
func clientAddress(r *http.Request) netip.Addr {
	text, _ := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string)
	address, _ := netip.ParseAddr(text) // none: requests over a Unix socket
	return address
}

func parseCaddyfile(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	m := new(Module)
	return m, m.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile reads the directive as shown at Module.
func (m *Module) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the directive's name
	if d.NextArg() {
		return d.ArgErr()
	}
	seen := make(map[string]bool)
	for d.NextBlock(0) {
		option := d.Val()
		if seen[option] {
			return d.Errf("%s is given twice", option)
		}
		seen[option] = true
		if err := m.set(d, option, d.RemainingArgs()); err != nil {
			return err
		}
	}
	return nil
}

func (m *Module) set(d *caddyfile.Dispenser, option string, args []string) error {
	if option == "allowed_origins" {
		if len(args) == 0 {
			return d.ArgErr()
		}
		for _, origin := range args {
			if err := checkOrigin(origin); err != nil {
				return d.Err(err.Error())
			}
		}
		m.AllowedOrigins = args
		return nil
	}
	if option != "max_body" && option != "timeout" {
		return d.Errf("unknown option %s; rodata_mcp has allowed_origins, max_body and timeout", strconv.Quote(option))
	}
	if len(args) != 1 {
		return d.ArgErr()
	}
	if option == "max_body" {
		size, err := humanize.ParseBytes(args[0])
		if err != nil || size == 0 || size > 1<<30 {
			return d.Errf("max_body %s: a size of at most 1GiB is needed, as 256KiB", strconv.Quote(args[0]))
		}
		m.MaxBody = int64(size)
		return nil
	}
	duration, err := caddy.ParseDuration(args[0])
	if err != nil || duration <= 0 {
		return d.Errf("timeout %s: a duration is needed, as 30s", strconv.Quote(args[0]))
	}
	m.Timeout = caddy.Duration(duration)
	return nil
}

var (
	_ caddy.Provisioner           = (*Module)(nil)
	_ caddy.Validator             = (*Module)(nil)
	_ caddy.CleanerUpper          = (*Module)(nil)
	_ caddyhttp.MiddlewareHandler = (*Module)(nil)
	_ caddyfile.Unmarshaler       = (*Module)(nil)
)
