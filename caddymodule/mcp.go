package caddymodule

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/dustin/go-humanize"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/mcp"
	"github.com/rodata/rodata/service"
)

func init() {
	caddy.RegisterModule(new(MCPHandler))
	httpcaddyfile.RegisterHandlerDirective("rodata_mcp", parseMCP)
	httpcaddyfile.RegisterDirectiveOrder("rodata_mcp", httpcaddyfile.After, "encode")
}

// MCPHandler is the Caddy handler http.handlers.rodata_mcp: the MCP channel. It answers at
// /mcp, /mcp/server-card and /.well-known/ai-catalog.json, and passes all other requests on. In a Caddyfile:
//
//	rodata_mcp {
//		allowed_origins https://app.example.ro
//		max_body        256KiB
//		timeout         30s
//	}
type MCPHandler struct {
	// AllowedOrigins are the origins of web pages that may call, as https://app.example.ro; * allows all. The service's
	// own host and pages on this machine's loopback address are always allowed.
	AllowedOrigins []string `json:"allowed_origins,omitempty"`
	// MaxBody is the maximum size of a request, in bytes. Default: 256 KiB.
	MaxBody int64 `json:"max_body,omitempty"`
	// Timeout is the maximum duration of a tool call. Default: 30s.
	Timeout caddy.Duration `json:"timeout,omitempty"`

	guest
}

// CaddyModule returns the handler's registration.
func (*MCPHandler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.rodata_mcp", New: func() caddy.Module { return new(MCPHandler) }}
}

// Validate rejects settings that would make every request fail.
func (h *MCPHandler) Validate() error {
	switch {
	case h.MaxBody < 0 || h.MaxBody > 1<<30:
		return fmt.Errorf("max_body of rodata_mcp is %s: give at most 1GiB, or leave it out",
			humanize.IBytes(uint64(h.MaxBody)))
	case h.Timeout < 0:
		return errors.New("timeout of rodata_mcp must be positive; leave it out for the default")
	}

	for _, origin := range h.AllowedOrigins {
		if err := web.CheckOriginOrAny(origin); err != nil {
			return err
		}
	}

	return nil
}

// ServeHTTP answers requests for the channel's paths.
func (h *MCPHandler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if !mcp.Handles(r.URL.Path) {
		return next.ServeHTTP(w, r)
	}

	r.Pattern = strings.TrimSuffix(r.URL.Path, "/")
	return h.app.answer(w, r, func(s *service.Service) http.Handler {
		return s.MCP(mcp.Options{
			AllowedOrigins: h.AllowedOrigins, MaxBody: h.MaxBody, Timeout: time.Duration(h.Timeout),
		})
	})
}

// parseMCP reads the directive rodata_mcp.
func parseMCP(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	h.Next() // the directive's name
	m := new(MCPHandler)
	return m, option.Table{
		"allowed_origins": option.Words(&m.AllowedOrigins, web.CheckOriginOrAny),
		"max_body":        option.Size(&m.MaxBody, 1),
		"timeout":         option.Duration(&m.Timeout),
	}.Parse(h.Dispenser)
}

var _ caddy.Validator = (*MCPHandler)(nil)
