package caddymodule

import (
	"fmt"
	"net/textproto"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/logging"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

func init() { caddy.RegisterModule(new(LogHeaders)) }

// LogHeaders is the Caddy log filter caddy.logging.encoders.filter.rodata_headers, for
// the field request>headers. It is an allow-list: it keeps headers known to hold no
// secret and drops all others, since clients send keys in unforeseen headers.
// In a Caddyfile:
//
//	request>headers rodata_headers [<header>...]
type LogHeaders struct {
	// Headers are further headers that are logged.
	Headers []string `json:"headers,omitempty"`

	shown []string
}

// loggedHeaders are the headers that are always logged, in the form in which Go's
// server names them. X-Request-Id is not among them: it stands in the object rodata.
var loggedHeaders = []string{
	"Accept", "Accept-Encoding", "Accept-Language", "Content-Length", "Content-Type", "Forwarded", "If-None-Match",
	"Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version", "Origin", "Sec-Fetch-Mode", "Sec-Fetch-Site", "User-Agent",
	"Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
}

// credentialHeaders are never logged, even when somebody asks for them.
var credentialHeaders = []string{"Authorization", "Cookie", "Proxy-Authorization", "Referer", "X-Api-Key"}

// CaddyModule returns the filter's registration.
func (*LogHeaders) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "caddy.logging.encoders.filter.rodata_headers", New: func() caddy.Module { return new(LogHeaders) }}
}

// UnmarshalCaddyfile reads the further headers.
func (f *LogHeaders) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the filter's name
	f.Headers = d.RemainingArgs()
	return nil
}

// Provision collects the headers that are logged.
func (f *LogHeaders) Provision(caddy.Context) error {
	f.shown = slices.Clone(loggedHeaders)
	for _, name := range f.Headers {
		name = textproto.CanonicalMIMEHeaderKey(name)
		if slices.Contains(credentialHeaders, name) {
			return fmt.Errorf("%s holds credentials and cannot be logged; leave it out of rodata_headers", name)
		}
		f.shown = append(f.shown, name)
	}
	return nil
}

// Filter keeps the headers that are logged.
func (f *LogHeaders) Filter(in zapcore.Field) zapcore.Field {
	headers, ok := in.Interface.(caddyhttp.LoggableHTTPHeader)
	if !ok {
		return zap.Skip()
	}
	return zap.Object(in.Key, shownHeaders{f.shown, headers})
}

// shownHeaders are headers of which those with some names are logged.
type shownHeaders struct {
	names   []string
	headers caddyhttp.LoggableHTTPHeader
}

// MarshalLogObject writes the headers. A value that may contain a key is hidden.
func (s shownHeaders) MarshalLogObject(enc zapcore.ObjectEncoder) error {
	for _, name := range s.names {
		values := s.headers.Header[name]
		if len(values) == 0 {
			continue
		}
		if slices.ContainsFunc(values, func(v string) bool { return mayBeKey(decoded(v)) }) {
			values = []string{redacted}
		}
		if err := enc.AddArray(name, caddyhttp.LoggableStringArray(values)); err != nil {
			return err
		}
	}
	return nil
}

var (
	_ caddy.Provisioner      = (*LogHeaders)(nil)
	_ caddyfile.Unmarshaler  = (*LogHeaders)(nil)
	_ logging.LogFieldFilter = (*LogHeaders)(nil)
)
