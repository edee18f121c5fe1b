package caddymodule

import (
	"strings"
	"sync"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/logging"
	"go.uber.org/zap/zapcore"

	"github.com/rodata/rodata/api"
)

func init() { caddy.RegisterModule(new(LogURI)) }

// LogURI is the Caddy log filter caddy.logging.encoders.filter.rodata_uri, for the
// field request>uri. It hides what may be a secret, in any case and encoding: API
// keys wherever they stand, the tokens of mailed links, and the values of all query
// parameters but those of the API's operations. In a Caddyfile:
//
//	request>uri rodata_uri [<parameter>...]
type LogURI struct {
	// Parameters are further query parameters whose values are logged.
	Parameters []string `json:"parameters,omitempty"`

	shown map[string]bool
}

// CaddyModule returns the filter's registration.
func (*LogURI) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "caddy.logging.encoders.filter.rodata_uri", New: func() caddy.Module { return new(LogURI) }}
}

// UnmarshalCaddyfile reads the further parameters.
func (f *LogURI) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the filter's name
	f.Parameters = d.RemainingArgs()
	return nil
}

// Provision collects the parameters whose values are logged.
func (f *LogURI) Provision(caddy.Context) error {
	f.shown = make(map[string]bool)
	for _, name := range append(operationParameters(), f.Parameters...) {
		f.shown[name] = true
	}
	return nil
}

// operationParameters are the query parameters of all operations, but for code, which
// elsewhere is the secret by which a sign-in is completed.
var operationParameters = sync.OnceValue(func() (names []string) {
	for _, op := range api.Operations(api.Registries{}, nil, api.About{}) {
		for _, p := range op.Params() {
			if !p.InPath && !op.HasBody() && p.Name != "code" {
				names = append(names, p.Name)
			}
		}
	}
	return append(names, "lang") // of the site
})

// Filter hides what may be a secret in an address.
func (f *LogURI) Filter(in zapcore.Field) zapcore.Field {
	if in.Type != zapcore.StringType {
		return zapcore.Field{Key: in.Key, Type: zapcore.StringType, String: redacted}
	}
	in.String = f.hide(in.String)
	return in
}

// redacted stands in the place of a secret.
const redacted = "REDACTED"

func (f *LogURI) hide(uri string) string {
	path, query, asks := strings.Cut(uri, "?")
	shown, private := hideInPath(path)
	switch {
	case !asks:
		return shown
	case private:
		return shown + "?" + redacted
	}
	return shown + "?" + f.hideInQuery(query)
}

// privatePaths begin the paths that end in a token or answer a sign-in elsewhere.
var privatePaths = []string{"/reset-password/", "/callback/"}

// hideInPath hides API keys and the tokens of mailed links. A path with one of those
// is private, and so is its query. A path without a secret is as it was sent.
func hideInPath(path string) (shown string, private bool) {
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

// withoutCredentials takes the user and password out of an address in absolute form,
// which is what a client sends to a proxy.
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

// hideInQuery hides the values of parameters that are not to be shown, and what is no
// parameter with a value.
func (f *LogURI) hideInQuery(query string) string {
	const longestName = 40
	var shown strings.Builder
	for query != "" {
		pair := query
		if i := strings.IndexAny(query, "&;"); i >= 0 {
			pair = query[:i]
		}
		name, value, _ := strings.Cut(pair, "=")
		switch {
		case pair == "" || f.shown[name] && !mayBeKey(decoded(value)):
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

// decoded undoes percent-encoding, also where somebody encoded twice, and leaves alone
// what is none.
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

// indexFold is strings.Index without regard to the case of ASCII letters.
func indexFold(text, sub string) int {
	for i := 0; i+len(sub) <= len(text); i++ {
		if strings.EqualFold(text[i:i+len(sub)], sub) {
			return i
		}
	}
	return -1
}

var (
	_ caddy.Provisioner      = (*LogURI)(nil)
	_ caddyfile.Unmarshaler  = (*LogURI)(nil)
	_ logging.LogFieldFilter = (*LogURI)(nil)
)
