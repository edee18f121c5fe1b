package accesslog

import (
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/logging"
	"go.uber.org/zap/zapcore"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/system"
)

func init() { caddy.RegisterModule(new(URI)) }

// URI is the Caddy log filter caddy.logging.encoders.filter.rodata_uri, for the field request>uri. It redacts API keys
// anywhere in the address, whatever their case and encoding; the tokens of mailed links; and the values of all query
// parameters that no operation of the API has. In a Caddyfile:
//
//	request>uri rodata_uri [<parameter>...]
type URI struct {
	// Parameters are query parameters to log with their values, in addition to the parameters of the API.
	Parameters []string `json:"parameters,omitempty"`

	logged []string
}

// CaddyModule returns the registration of the filter.
func (*URI) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "caddy.logging.encoders.filter.rodata_uri", New: func() caddy.Module {
		return new(URI)
	}}
}

// UnmarshalCaddyfile reads the additional parameters.
func (f *URI) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the filter's name
	f.Parameters = d.RemainingArgs()
	return nil
}

// Provision collects the parameters to log with their values.
func (f *URI) Provision(caddy.Context) error {
	f.logged = slices.Concat(operationParameters(), f.Parameters)
	return nil
}

// operationParameters are the query parameters of all operations except code and state, which are secrets in the
// callback of an OAuth sign-in.
var operationParameters = sync.OnceValue(func() (names []string) {
	for _, op := range api.Operations(api.Registries{}, nil, system.About{}) {
		for _, p := range op.Params() {
			if !p.InPath && !op.HasBody() && p.Name != "code" && p.Name != "state" {
				names = append(names, p.Name)
			}
		}
	}

	return append(names, "lang") // the site's
})

// Filter redacts the secrets in an address.
func (f *URI) Filter(in zapcore.Field) zapcore.Field {
	if in.Type != zapcore.StringType {
		return zapcore.Field{Key: in.Key, Type: zapcore.StringType, String: redacted}
	}

	in.String = f.hide(in.String)
	return in
}

// redacted replaces a secret.
const redacted = "REDACTED"

func (f *URI) hide(uri string) string {
	path, query, hasQuery := strings.Cut(uri, "?")
	shown, private := HidePath(path)
	switch {
	case !hasQuery:
		return shown
	case private:
		return shown + "?" + redacted
	}

	return shown + "?" + f.hideInQuery(query)
}

// privatePath matches the token after certain parts of a path, or the code of an OAuth sign-in.
var privatePath = regexp.MustCompile(`(?is)(/reset-password/|/callback/).*`)

// HidePath redacts the API keys and the tokens of mailed links in a path. It returns a path without secrets unchanged.
// If the path is private, its query is secret as well.
func HidePath(path string) (shown string, private bool) {
	path = withoutCredentials(path)
	plain := percentDecode(path)
	if private = privatePath.MatchString(plain); private {
		plain = privatePath.ReplaceAllString(plain, "${1}"+redacted)
	}

	if mayBeKey(plain) {
		segments := strings.Split(plain, "/")
		for i := range segments {
			if mayBeKey(segments[i]) {
				segments[i] = redacted
			}
		}

		return strings.Join(segments, "/"), private
	}

	if private {
		return plain, true
	}

	return path, false
}

// withoutCredentials redacts the user and password in an address in absolute form, as clients send it to a proxy.
func withoutCredentials(address string) string {
	scheme, rest, absolute := strings.Cut(address, "://")
	if !absolute || strings.HasPrefix(address, "/") {
		return address
	}

	authority, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		return scheme + "://" + redacted + authority[at:] + "/" + path
	}

	return address
}

// pair matches a name and a value in a query.
var pair = regexp.MustCompile(`[^&;]+`)

// hideInQuery redacts the values of parameters that are not logged, and anything that is not a name and a value.
func (f *URI) hideInQuery(query string) string {
	const maxName = 40
	return pair.ReplaceAllStringFunc(query, func(pair string) string {
		name, value, _ := strings.Cut(pair, "=")
		switch {
		case slices.Contains(f.logged, name) && !mayBeKey(percentDecode(value)):
			return pair
		case value == "" || len(name) > maxName || mayBeKey(percentDecode(name)):
			return redacted
		}

		return name + "=" + redacted
	})
}

// mayBeKey reports whether a decoded text may contain an API key of any prefix, or the token of a feed.
func mayBeKey(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "_live_") || strings.Contains(text, "wlf_")
}

// encoded matches a percent-encoded byte.
var encoded = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

// percentDecode undoes percent-encoding, up to four layers of it. Unlike url.PathUnescape, it leaves invalid sequences
// as they are.
func percentDecode(text string) string {
	const layers = 4
	for range layers {
		if !strings.Contains(text, "%") {
			break
		}

		text = encoded.ReplaceAllStringFunc(text, func(code string) string {
			plain, _ := hex.DecodeString(code[1:])
			return string(plain)
		})
	}

	return text
}

var (
	_ caddy.Provisioner      = (*URI)(nil)
	_ caddyfile.Unmarshaler  = (*URI)(nil)
	_ logging.LogFieldFilter = (*URI)(nil)
)
