// Package caddymodule is rodata as a set of modules for the Caddy web server: the app
// rodata, the handlers rodata and rodata_problem, the admin API and the metrics. It is
// the glue between Caddy and the packages that do the work, and holds no rule of the
// contract.
package caddymodule

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/metering"
)

func init() { caddy.RegisterModule(new(App)) }

// App is the Caddy app rodata: the settings of the gateway. Nothing is required.
// Its state lives beyond it, in the data directory and in what one configuration
// passes to the next.
type App struct {
	// DataDir is the directory of everything that is kept on disk: the cache, the
	// archive of exchange rates, accounts, the secret. Placeholders are resolved.
	// Default: rodata in Caddy's own data directory. State in memory (cache, rate
	// limits, counters) belongs to the directory and survives a reload that keeps
	// it.
	DataDir string `json:"data_dir,omitempty"`
	// BaseURL is the service's address as its clients write it, for the type of
	// problems, the OpenAPI description and links in mails:
	// https://api.example.ro. Placeholders are resolved. Required with a mail
	// server; default: the address of each request.
	BaseURL string `json:"base_url,omitempty"`
	// Environment is what /v1/status says: production or sandbox. Default:
	// production.
	Environment string `json:"environment,omitempty"`
	// KeyPrefix begins every API key. Default: rodata_live_. A changed prefix ends
	// the validity of all keys with the one before.
	KeyPrefix string `json:"key_prefix,omitempty"`
	// KeyManagement says who may create and revoke API keys with /v1/keys: any, who
	// has a session or a key of the account; or session_only, who has a session.
	// Default: any.
	KeyManagement api.KeyManagement `json:"key_management,omitempty"`
	// Secret keys the stored hashes of API keys, sessions and links in mails: at
	// least 16 characters, or empty to have one generated into the data directory.
	// With another one, none of them is recognised. Give it as a placeholder,
	// {env.RODATA_SECRET} or {file./run/secrets/rodata}, so that the
	// configuration does not show it.
	Secret string `json:"secret,omitempty"`
	// Anonymous is what callers without a key may do, for each address (IPv6: each
	// /64). Default: 1 request a second, 10 at once, without a limit for the day.
	Anonymous Anonymous `json:"anonymous,omitzero"`
	// Plans is the whole catalogue. Default: free, starter, pro and enterprise.
	Plans []Plan `json:"plans,omitempty"`
	// Cache is how much of the registries' answers is kept, and for how long.
	Cache Cache `json:"cache,omitzero"`
	// Upstreams are the registries' settings.
	Upstreams Upstreams `json:"upstreams,omitzero"`
	// Store is where accounts are kept.
	Store Store `json:"store,omitzero"`
	// StoreURL is short for the store postgres with this URL. Give it as a
	// placeholder, so that the configuration does not show the password. Empty
	// after placeholders are resolved, it says nothing.
	StoreURL string `json:"store_url,omitempty"`
	// Redis is by way of what several edges are one fleet. Default: none, the edge
	// stands alone.
	Redis Redis `json:"redis,omitzero"`
	// Mail is how mail is sent: to those who have accounts, and to the operators.
	// Default: none is.
	Mail Mail `json:"mail,omitzero"`
	// Auth is how people sign in.
	Auth Auth `json:"auth,omitzero"`
	// Billing is how plans are sold and invoiced.
	Billing Billing `json:"billing,omitzero"`
	// OAuth, on or off, lets people allow programs that speak MCP, and cannot send a
	// key, the use of their accounts. Some of those programs ask everybody to sign in
	// once it is on. It needs a BaseURL of https, or on a loopback address, without a
	// path. Default: off.
	OAuth string `json:"oauth,omitempty"`

	plans  []metering.Plan
	ctx    caddy.Context // in which the other apps are
	logger *slog.Logger

	announcing sync.Once

	mu      sync.Mutex // taken to open and to close
	closed  bool
	service atomic.Pointer[service] // nil until opened
}

// CaddyModule returns the app's registration.
func (*App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "rodata", New: func() caddy.Module { return new(App) }}
}

// Provision resolves and checks the settings. It opens nothing: a configuration
// can be validated while another process serves from the same data directory.
func (a *App) Provision(ctx caddy.Context) (err error) {
	a.ctx, a.logger = ctx, ctx.Slogger()
	if err := expose(ctx.GetMetricsRegistry()); err != nil {
		return err
	}
	if err := a.resolve(caddy.NewReplacer()); err != nil {
		return err
	}
	if a.plans, err = catalogue(a.Plans); err != nil {
		return err
	}
	a.Billing.sell(a.plans)
	return a.Upstreams.prepare()
}

func (a *App) resolve(repl *caddy.Replacer) (err error) {
	a.DataDir = cmp.Or(repl.ReplaceAll(a.DataDir, ""), filepath.Join(caddy.AppDataDir(), "rodata"))
	if a.DataDir, err = filepath.Abs(a.DataDir); err != nil {
		return fmt.Errorf("data_dir: %w", err)
	}
	if a.Secret, err = repl.ReplaceOrErr(a.Secret, false, true); err != nil {
		return fmt.Errorf("secret: %w", err)
	}
	a.Secret = strings.TrimRight(a.Secret, "\r\n") // files end with a newline
	a.BaseURL = strings.TrimSuffix(repl.ReplaceAll(a.BaseURL, ""), "/")
	if a.StoreURL, err = repl.ReplaceOrErr(a.StoreURL, false, true); err != nil {
		return fmt.Errorf("store_url: %w", err)
	}
	a.StoreURL = strings.TrimRight(a.StoreURL, "\r\n")
	if err := a.Store.resolve(repl, a.StoreURL); err != nil {
		return err
	}
	a.Environment = cmp.Or(repl.ReplaceAll(a.Environment, ""), "production")
	a.KeyPrefix = cmp.Or(a.KeyPrefix, account.DefaultPrefix)
	a.OAuth = cmp.Or(repl.ReplaceAll(a.OAuth, ""), "off")
	if err := a.Redis.resolve(repl); err != nil {
		return fmt.Errorf("redis: %w", err)
	}
	if err := a.Mail.resolve(repl); err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	if err := a.Auth.resolve(repl); err != nil {
		return fmt.Errorf("auth: %w", err)
	}
	if err := a.Billing.resolve(repl); err != nil {
		return fmt.Errorf("billing: %w", err)
	}
	return nil
}

// Validate refuses settings with which the gateway could not serve.
func (a *App) Validate() error {
	for _, setting := range []struct {
		name string
		err  error
	}{
		{"base_url", checkBaseURL(a.BaseURL)},
		{"environment", checkEnvironment(a.Environment)},
		{"key_prefix", account.CheckPrefix(a.KeyPrefix)},
		{"key_management", checkKeyManagement(a.KeyManagement)},
		{"store_url", checkStoreURL(a.StoreURL)},
		{"store", a.Store.validate()},
		{"anonymous", a.Anonymous.validate()},
		{"cache", a.Cache.validate()},
		{"redis", a.Redis.validate()},
		{"mail", a.Mail.validate(a.Environment)},
		{"auth", a.Auth.validate(&a.Mail, a.BaseURL)},
		{"billing", a.Billing.validate(a.Plans, a.BaseURL)},
		{"oauth", checkOAuth(a.OAuth, a.BaseURL)},
	} {
		if setting.err != nil {
			return fmt.Errorf("%s: %w", setting.name, setting.err)
		}
	}
	return nil
}

func checkBaseURL(text string) error {
	u, err := url.Parse(text)
	if text != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.Fragment != "") {
		return fmt.Errorf("%q is not an address, as https://api.example.ro", text)
	}
	return nil
}

func checkEnvironment(name string) error {
	if name != "production" && name != "sandbox" {
		return fmt.Errorf("%q is unknown: there are production and sandbox", name)
	}
	return nil
}

func readKeyManagement(who string) (api.KeyManagement, error) {
	switch m := api.KeyManagement(who); m {
	case api.AnyCaller, api.SessionOnly:
		return m, nil
	}
	return "", fmt.Errorf("%q is unknown: there are %s and %s", who, api.AnyCaller, api.SessionOnly)
}

func checkKeyManagement(m api.KeyManagement) error {
	if m == "" {
		return nil
	}
	_, err := readKeyManagement(string(m))
	return err
}

var (
	_ caddy.App          = (*App)(nil)
	_ caddy.Provisioner  = (*App)(nil)
	_ caddy.Validator    = (*App)(nil)
	_ caddy.CleanerUpper = (*App)(nil)
)
