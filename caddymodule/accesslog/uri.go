package accesslog

import (
	"strings"
	"sync"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/logging"
	"go.uber.org/zap/zapcore"

	"github.com/rodata/rodata/api"
)

func init() { caddy.RegisterModule(new(URI)) }

// URI is the Caddy log filter caddy.logging.encoders.filter.rodata_uri, for the
// field request>uri. It redacts API keys anywhere in the address, whatever their case
// and encoding; the tokens of mailed links; and the values of all query parameters that
// no operation of the API has. In a Caddyfile:
//
//	request>uri rodata_uri [<parameter>...]
type URI struct {
	// Parameters are query parameters whose values are logged in addition to those of
	// the API.
	Parameters []string `json:"parameters,omitempty"`

	logged map[string]bool
}

// CaddyModule returns the registration of the filter.
func (*URI) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "caddy.logging.encoders.filter.rodata_uri", New: func() caddy.Module { return new(URI) }}
}

// UnmarshalCaddyfile reads the further parameters.
func (f *URI) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the filter's name
	f.Parameters = d.RemainingArgs()
	return nil
}

// Provision collects the parameters whose values are logged.
func (f *URI) Provision(caddy.Context) error {
	f.logged = make(map[string]bool)
	for _, name := range append(operationParameters(), f.Parameters...) {
		f.logged[name] = true
	}
	return nil
}

// operationParameters are the query parameters of all operations except code, which is
// a secret in the callback of an OAuth sign-in.
var operationParameters = sync.OnceValue(func() (names []string) {
	for _, op := range api.Operations(api.Registries{}, nil, api.About{}) {
		for _, p := range op.Params() {
			if !p.InPath && !op.HasBody() && p.Name != "code" {
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
	path, query, asks := strings.Cut(uri, "?")
	shown, private := HidePath(path)
	switch {
	case !asks:
		return shown
	case private:
		return shown + "?" + redacted
	}

	return shown + "?" + f.hideInQuery(query)
}

// privatePaths are the parts of a path behind which a token follows, or the code of an
// OAuth sign-in.
var privatePaths = []string{"/reset-password/", "/callback/"}

// HidePath redacts the API keys and the tokens of mailed links in a path. It returns a
// path without secrets as it is. If the path is private, its query is secret as well.
func HidePath(path string) (shown string, private bool) {
	path = withoutCredentials(path)
	plain := decoded(path)
	for _, begin := range privatePaths {
		if i := indexFold(plain, begin); i >= 0 {
			plain, private = plain[:i+len(begin)]+redacted, true
		}
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

// withoutCredentials redacts the user and password in an address in absolute form, as
// clients send it to a proxy.
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

// hideInQuery redacts the values of parameters that are not logged, and anything that is
// not a name and a value.
func (f *URI) hideInQuery(query string) string {
	const longestName = 40
	var shown strings.Builder
	for query != "" {
		pair := query
		if i := strings.IndexAny(query, "&;"); i >= 0 {
			pair = query[:i]
		}

		name, value, _ := strings.Cut(pair, "=")
		switch {
		case pair == "" || f.logged[name] && !mayBeKey(decoded(value)):
			shown.WriteString(pair)
		case value == "" || len(name) > longestName || mayBeKey(decoded(name)):
			shown.WriteString(redacted)
		default:
			shown.WriteString(name + "=" + redacted)
		}

		query = query[len(pair):]
		if query != "" {
			shown.WriteByte(query[0])
			query = query[1:]
		}
	}

	return shown.String()
}

// mayBeKey reports whether a decoded text may contain an API key, whatever its prefix.
func mayBeKey(text string) bool { return indexFold(text, "_live_") >= 0 }

// decoded undoes percent-encoding, up to four layers of it. Unlike url.PathUnescape it
// leaves invalid sequences as they are.
func decoded(text string) string {
	const layers = 4
	for range layers {
		if strings.IndexByte(text, '%') < 0 {
			return text
		}
		once := decodedOnce(text)
		if once == text {
			return text
		}

		text = once
	}

	return text
}

func decodedOnce(text string) string {
	plain := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]) {
			plain = append(plain, hexDigit(text[i+1])<<4|hexDigit(text[i+2]))
			i += 2
			continue
		}
		plain = append(plain, text[i])
	}

	return string(plain)
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func hexDigit(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

// indexFold is strings.Index that ignores the case of letters.
func indexFold(text, sub string) int {
	for i := 0; i+len(sub) <= len(text); i++ {
		if strings.EqualFold(text[i:i+len(sub)], sub) {
			return i
		}
	}
	return -1
}

var (
	_ caddy.Provisioner      = (*URI)(nil)
	_ caddyfile.Unmarshaler  = (*URI)(nil)
	_ logging.LogFieldFilter = (*URI)(nil)
)
