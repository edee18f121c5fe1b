package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/account/provider"
	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/metering"
)

// Auth configures sign-in, at /api/auth. Placeholders are resolved.
type Auth struct {
	// TrustedOrigins are the origins, such as https://app.example.ro, whose pages may sign people in and use their
	// sessions, in addition to the service's own. Browsers send the cookies of the service only within one site: a
	// domain and its subdomains.
	TrustedOrigins []string `json:"trusted_origins,omitempty"`
	// RequireVerification, on or off, refuses sign-in by password until the address is verified by a mailed link.
	// Default: on if there is a mail server. If off, open sign-up allows user enumeration.
	RequireVerification string `json:"require_verification,omitempty"`
	// SignUp is open, or closed: then only operators open accounts, with "rodata accounts create". Default: open.
	SignUp string `json:"sign_up,omitempty"`
	// SessionMaxAge is the time after sign-in at which a session ends, however it is used. Default: 90 days.
	SessionMaxAge caddy.Duration `json:"session_max_age,omitempty"`
	// GrantMaxAge is the time after which a program that a user has authorized must ask again, however it is used.
	// Default: 180 days.
	GrantMaxAge caddy.Duration `json:"grant_max_age,omitempty"`
	// Plan is the code of a new account's plan. Default: the first plan.
	Plan string `json:"plan,omitempty"`
	// GitHub and Google let people sign in with their accounts there. Default: off. They are also off if id and secret
	// are both empty.
	GitHub *Provider `json:"github,omitempty"`
	Google *Provider `json:"google,omitempty"`
}

// Provider is the registration of the service with an identity provider. The callback URL to register there is base_url
// followed by /api/auth/callback/github or /api/auth/callback/google.
type Provider struct {
	// ID and Secret are issued by the provider. Give them as placeholders, so that the configuration does not show the
	// secret.
	ID     string `json:"id"`
	Secret string `json:"secret"`
}

// rows are the rows of the block in a Caddyfile.
func (a *Auth) rows() option.Table {
	return option.Table{
		"trusted_origins":      option.Words(&a.TrustedOrigins),
		"require_verification": option.Text(&a.RequireVerification, checkSwitch),
		"sign_up":              option.Text(&a.SignUp, checkSignUp),
		"session_max_age":      option.Duration(&a.SessionMaxAge),
		"grant_max_age":        option.Duration(&a.GrantMaxAge),
		"plan":                 option.Text(&a.Plan),
		"github":               registrationAt(&a.GitHub),
		"google":               registrationAt(&a.Google),
	}
}

// registrationAt reads the id and the secret of a registration.
func registrationAt(field **Provider) option.Option {
	read := func(d *caddyfile.Dispenser) error {
		name := d.Val()
		p := new(Provider)
		if !d.Args(&p.ID, &p.Secret) {
			return d.Errf("%s needs the id and the secret that it has issued: %[1]s {env.RODATA_%[2]s_ID} "+
				"{env.RODATA_%[2]s_SECRET}", name, strings.ToUpper(name))
		}

		*field = p
		return nil
	}
	return option.Part(read, func() option.Table {
		if *field == nil {
			return nil
		}
		return option.Table{"id": option.Secret(&(*field).ID), "secret": option.Secret(&(*field).Secret)}
	})
}

// oneOf returns a check that accepts two values.
func oneOf(a, b string) func(string) error {
	return func(text string) error {
		if text != a && text != b {
			return fmt.Errorf("%q is unknown; use %s or %s", text, a, b)
		}
		return nil
	}
}

// minAge is the minimum of SessionMaxAge and GrantMaxAge.
const minAge = time.Hour

var (
	checkSwitch = oneOf("on", "off")
	checkSignUp = oneOf("open", "closed")
)

// checkTrusted rejects values that are not origins of web pages.
func checkTrusted(origin string) error {
	if web.Origin(origin) == "" {
		return fmt.Errorf("%q is not an origin such as https://app.example.ro", origin)
	}
	return web.CheckOrigin(origin)
}

// validate rejects settings that would make sign-in impossible or unsafe.
func (a *Auth) validate(m *Mail, baseURL string, plans []metering.Plan) error {
	for _, origin := range a.TrustedOrigins {
		if err := checkTrusted(origin); err != nil {
			return fmt.Errorf("trusted_origins: %w", err)
		}
	}

	if !slices.ContainsFunc(plans, func(p metering.Plan) bool { return p.Code == a.Plan }) {
		return fmt.Errorf("plan: there is no plan %q", a.Plan)
	}

	for _, o := range []struct {
		name string
		age  caddy.Duration
	}{{"session_max_age", a.SessionMaxAge}, {"grant_max_age", a.GrantMaxAge}} {
		if age := time.Duration(o.age); age != 0 && age < minAge {
			return fmt.Errorf("%s is %s: give at least %s, or leave it out", o.name, age, minAge)
		}
	}

	mails := m.Server() != (mail.Server{})
	switch {
	case a.RequireVerification == "on" && !mails:
		return errors.New("require_verification is on, and no mail can be sent: name a mail server " +
			"(RODATA_SMTP_URL), or turn it off")
	case mails && baseURL == "":
		return errors.New("base_url (RODATA_BASE_URL) is missing: mails have links to the service, whose address " +
			"cannot safely be taken from a request")
	}

	for _, r := range []struct {
		name string
		*Provider
	}{{"github", a.GitHub}, {"google", a.Google}} {
		if r.Provider != nil && (r.ID == "") != (r.Secret == "") {
			return fmt.Errorf("%s: the id or the secret is missing; leave both empty to do without", r.name)
		}
	}

	return nil
}

// Providers returns the identity providers that are configured and not empty.
func (a *Auth) Providers() (all []*provider.Provider) {
	if p := a.GitHub; p != nil && p.ID != "" {
		all = append(all, provider.NewGitHub(provider.Client{ID: p.ID, Secret: p.Secret}))
	}
	if p := a.Google; p != nil && p.ID != "" {
		all = append(all, provider.NewGoogle(provider.Client{ID: p.ID, Secret: p.Secret}))
	}
	return all
}
