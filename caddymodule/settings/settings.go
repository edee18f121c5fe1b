// Package settings is the configuration of the app rodata: its JSON form, its Caddyfile form, the defaults, and the
// checks that a configuration must pass. It opens nothing, so a configuration can be validated while another process
// serves from the same data.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/metering"
)

// Settings are the settings of the app. None is required.
type Settings struct {
	// DataDir is the directory for everything on disk: the cache, the archive of exchange rates, accounts, the secret.
	// Placeholders are resolved. Default: rodata in Caddy's data directory. State in memory (cache, rate limits,
	// counters) belongs to the directory and survives a reload that keeps it.
	DataDir string `json:"data_dir,omitempty"`
	// BaseURL is the public address of the service, such as https://api.example.ro, for the type of problems, the
	// OpenAPI description and links in mails. Placeholders are resolved. Required with a mail server. Default: the
	// address of each request.
	BaseURL string `json:"base_url,omitempty"`
	// Environment is the environment in /v1/status: production or sandbox. Default: production.
	Environment string `json:"environment,omitempty"`
	// KeyPrefix is the prefix of API keys. Default: rodata_live_. Keys with another prefix are refused.
	KeyPrefix string `json:"key_prefix,omitempty"`
	// KeyManagement determines who may create and revoke API keys with /v1/keys: any (callers with a session or a key
	// of the account) or session_only. Default: any.
	KeyManagement customer.KeyManagement `json:"key_management,omitempty"`
	// Secret keys the hashes of API keys, sessions and mailed links: at least 16 characters. A changed secret
	// invalidates all of them. Give it as a placeholder, {env.RODATA_SECRET} or {file./run/secrets/rodata}, so that the
	// configuration does not show it. Default: one is generated into the data directory.
	Secret string `json:"secret,omitempty"`
	// Anonymous are the limits of callers without a key, for each address (IPv6: each /64).
	// Default: 1 request a second, 10 at once, no daily limit.
	Anonymous Anonymous `json:"anonymous,omitzero"`
	// Batch limits the number of companies in one call.
	Batch Batch `json:"batch,omitzero"`
	// Watch limits the watch-lists of an account, and determines whether accounts can read the changes of all
	// companies.
	Watch Watch `json:"watch,omitzero"`
	// Jobs limits the files with companies to look up in the background.
	Jobs Jobs `json:"jobs,omitzero"`
	// Plans is the catalogue. Default: free, starter, pro and enterprise.
	Plans []Plan `json:"plans,omitempty"`
	// Cache determines how many of the registries' answers are cached, and for how long.
	Cache Cache `json:"cache,omitzero"`
	// Upstreams are the registries' settings.
	Upstreams Upstreams `json:"upstreams,omitzero"`
	// Observe configures which companies the mirror checks in the background.
	Observe Observe `json:"observe,omitzero"`
	// Store is the database of accounts and keys.
	Store Store `json:"store,omitzero"`
	// StoreURL is short for a Store of type postgres with this URL. Give it as a placeholder, so that the
	// configuration does not show the password. If the placeholder is empty, StoreURL has no effect.
	StoreURL string `json:"store_url,omitempty"`
	// Redis connects several edges to one fleet. Default: none; the edge works alone.
	Redis Redis `json:"redis,omitzero"`
	// Mail configures outgoing mail to users and operators. Default: no mail is sent.
	Mail Mail `json:"mail,omitzero"`
	// Auth configures sign-in.
	Auth Auth `json:"auth,omitzero"`
	// Billing configures the sale of plans and their invoices.
	Billing Billing `json:"billing,omitzero"`
	// Webhooks limits the endpoints to which accounts can have events sent.
	Webhooks Webhooks `json:"webhooks,omitzero"`
	// OAuth, on or off, lets people authorize MCP clients that cannot send a key. Once it is on, some clients ask
	// every user to sign in. It requires a BaseURL without a path, with https or on a loopback address. Default: off.
	OAuth string `json:"oauth,omitempty"`

	catalogue []metering.Plan
}

// Catalogue returns the configured plans, or the default plans if none are configured. The settings must have been
// resolved.
func (s *Settings) Catalogue() []metering.Plan { return s.catalogue }

// Resolve replaces placeholders and fills in defaults.
func (s *Settings) Resolve() (err error) {
	repl := caddy.NewReplacer()
	if err := s.options().Resolve(repl); err != nil {
		return err
	}
	if err := s.Store.resolve(repl, s.StoreURL); err != nil {
		return err
	}

	s.DataDir = cmp.Or(s.DataDir, filepath.Join(caddy.AppDataDir(), "rodata"))
	if s.DataDir, err = filepath.Abs(s.DataDir); err != nil {
		return fmt.Errorf("data_dir: %w", err)
	}

	s.BaseURL = strings.TrimSuffix(s.BaseURL, "/")
	s.Environment = cmp.Or(s.Environment, "production")
	s.KeyPrefix = cmp.Or(s.KeyPrefix, account.DefaultPrefix)
	if s.catalogue, err = catalogue(s.Plans); err != nil {
		return err
	}

	s.Auth.Plan = cmp.Or(s.Auth.Plan, s.catalogue[0].Code)
	for i := range s.catalogue { // nothing is sold while billing is off
		s.catalogue[i].Purchasable = s.catalogue[i].Purchasable && s.Billing.IsOn()
	}

	return s.Upstreams.prepare()
}

// Validate rejects settings with which the gateway could not work.
func (s *Settings) Validate() error {
	if err := s.options().Check(); err != nil {
		return err
	}

	for _, setting := range []struct {
		name string
		err  error
	}{
		{"data_dir", checkWritable(s.DataDir)}, // before what reads it
		{"secret", account.CheckSecret(s.Secret, s.DataDir)},
		{"key_management", checkKeyManagement(string(cmp.Or(s.KeyManagement, customer.AnyCaller)))},
		{"store", s.Store.validate()},
		{"anonymous", s.Anonymous.validate()},
		{"batch", s.Batch.validate()},
		{"jobs", s.Jobs.validate()},
		{"cache", s.Cache.validate()},
		{"redis", s.Redis.validate()},
		{"mail", s.Mail.validate(s.Environment)},
		{"auth", s.Auth.validate(&s.Mail, s.BaseURL, s.catalogue)},
		{"billing", s.Billing.validate(s.Plans, s.BaseURL)},
		{"webhooks", s.Webhooks.validate()},
		{"oauth", checkOAuth(s.OAuth, s.BaseURL)},
	} {
		if setting.err != nil {
			return fmt.Errorf("%s: %w", setting.name, setting.err)
		}
	}

	return nil
}

// checkWritable returns an error if no file can be created in a directory or, while it does not exist, in the nearest
// folder above it. A full disk is not an error, because a running gateway copes with it.
func checkWritable(dir string) error {
	folder := dir
	for _, err := os.Stat(folder); err != nil && folder != filepath.Dir(folder); _, err = os.Stat(folder) {
		folder = filepath.Dir(folder)
	}

	err := database.CheckWritable(folder)
	if err == nil || errors.Is(err, syscall.ENOSPC) {
		return nil
	}

	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err
	}

	return fmt.Errorf("%s cannot be written: no file can be created in %s (%w); make this folder writable for the user "+
		"that runs the gateway, or set another directory (RODATA_DATA_DIR)", dir, folder, err)
}

func checkBaseURL(text string) error {
	u, err := url.Parse(text)
	if text != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" ||
		u.Fragment != "") {
		return fmt.Errorf("%q is not an address such as https://api.example.ro", text)
	}
	return nil
}

var (
	checkEnvironment   = oneOf("production", "sandbox")
	checkKeyManagement = oneOf(string(customer.AnyCaller), string(customer.SessionOnly))
)

func readKeyManagement(who string) (customer.KeyManagement, error) {
	return customer.KeyManagement(who), checkKeyManagement(who)
}
