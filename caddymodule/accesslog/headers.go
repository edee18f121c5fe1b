// Package accesslog provides a handler that writes the access log, and two filters that keep secrets out of Caddy's own
// access log: one for the headers of a request and one for its address.
package accesslog

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

func init() { caddy.RegisterModule(new(Headers)) }

// Headers is the Caddy log filter caddy.logging.encoders.filter.rodata_headers, for the field request>headers. It is an
// allow-list: it keeps headers known to contain no secret and drops all others, because clients send keys in unexpected
// headers. In a Caddyfile:
//
//	request>headers rodata_headers [<header>...]
type Headers struct {
	// Headers are logged in addition to the default ones.
	Headers []string `json:"headers,omitempty"`

	logged []string
}

// defaultHeaders are always logged; their names are in canonical form. X-Request-Id is missing because the log entry
// already has it, in the object rodata.
var defaultHeaders = []string{
	"Accept", "Accept-Encoding", "Accept-Language", "Content-Length", "Content-Type", "Forwarded", "If-None-Match",
	"Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version", "Origin", "Sec-Fetch-Mode", "Sec-Fetch-Site", "User-Agent",
	"Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
}

// credentialHeaders are never logged, even when the configuration names them.
var credentialHeaders = []string{"Authorization", "Cookie", "Proxy-Authorization", "Referer", "X-Api-Key"}

// CaddyModule returns the registration of the filter.
func (*Headers) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID: "caddy.logging.encoders.filter.rodata_headers", New: func() caddy.Module { return new(Headers) },
	}
}

// UnmarshalCaddyfile reads the additional headers.
func (f *Headers) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the filter's name
	f.Headers = d.RemainingArgs()
	return nil
}

// Provision adds the additional headers to the default ones. It fails for a header that holds credentials.
func (f *Headers) Provision(caddy.Context) error {
	f.logged = slices.Clone(defaultHeaders)
	for _, name := range f.Headers {
		name = textproto.CanonicalMIMEHeaderKey(name)
		if slices.Contains(credentialHeaders, name) {
			return fmt.Errorf("%s holds credentials and cannot be logged; leave it out of rodata_headers", name)
		}

		f.logged = append(f.logged, name)
	}

	return nil
}

// Filter drops all headers that are not on the list.
func (f *Headers) Filter(in zapcore.Field) zapcore.Field {
	headers, ok := in.Interface.(caddyhttp.LoggableHTTPHeader)
	if !ok {
		return zap.Skip()
	}
	return zap.Object(in.Key, loggedHeaders{f.logged, headers})
}

// loggedHeaders are the headers of a request with the names of the logged ones.
type loggedHeaders struct {
	names   []string
	headers caddyhttp.LoggableHTTPHeader
}

// MarshalLogObject writes the headers on the list, and redacts values that may contain an API key.
func (s loggedHeaders) MarshalLogObject(enc zapcore.ObjectEncoder) error {
	for _, name := range s.names {
		values := s.headers.Header[name]
		if len(values) == 0 {
			continue
		}
		if slices.ContainsFunc(values, func(v string) bool { return mayBeKey(percentDecode(v)) }) {
			values = []string{redacted}
		}
		if err := enc.AddArray(name, caddyhttp.LoggableStringArray(values)); err != nil {
			return err
		}
	}

	return nil
}

var (
	_ caddy.Provisioner      = (*Headers)(nil)
	_ caddyfile.Unmarshaler  = (*Headers)(nil)
	_ logging.LogFieldFilter = (*Headers)(nil)
)
