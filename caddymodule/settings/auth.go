package settings

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/rodata/rodata/account/auth"
	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/internal/weburl"
)

// Auth is how people sign in, at /api/auth. Placeholders are resolved.
type Auth struct {
	// TrustedOrigins are the origins, as https://app.example.ro, whose pages may
	// sign people in and act for whoever is signed in, beside the service's own. A
	// browser sends them our cookies only within one site: from a domain to its
	// subdomains and between those.
	TrustedOrigins []string `json:"trusted_origins,omitempty"`
	// RequireVerification, on or off, lets nobody sign in by password who has not
	// opened a link in a mail to their address. Default: on when there is a mail
	// server. Without it anybody can find out, by signing up, who has an account,
	// unless sign-up is closed.
	RequireVerification string `json:"require_verification,omitempty"`
	// SignUp, open or closed, says whether people may open accounts by themselves;
	// when it is closed, operators open them, with "rodata accounts create". Default:
	// open.
	SignUp string `json:"sign_up,omitempty"`
	// GitHub and Google sign people in with accounts that they have there. Default,
	// and when id and secret are both empty: they do not.
	GitHub *Provider `json:"github,omitempty"`
	Google *Provider `json:"google,omitempty"`
}

// Provider is what another service knows ours as. There, the address that people
// come back to is base_url with /api/auth/callback/github or /google behind.
type Provider struct {
	// ID and Secret are given by the provider. Give them as placeholders, so that
	// the configuration does not show the secret.
	ID     string `json:"id"`
	Secret string `json:"secret"`
}

// rows are the rows of the block in a Caddyfile.
func (a *Auth) rows() option.Table {
	return option.Table{
		"trusted_origins":      option.Words(&a.TrustedOrigins),
		"require_verification": option.Text(&a.RequireVerification, checkSwitch),
		"sign_up":              option.Text(&a.SignUp, checkSignUp),
		"github":               provider(&a.GitHub),
		"google":               provider(&a.Google),
	}
}

// provider reads an id and a secret.
func provider(field **Provider) option.Reader {
	return func(d *caddyfile.Dispenser) error {
		name := d.Val()
		p := new(Provider)
		if !d.Args(&p.ID, &p.Secret) {
			return d.Errf("%s needs the id and the secret that it has given: %s {env.RODATA_%s_ID} {env.RODATA_%[3]s_SECRET}", name, name, strings.ToUpper(name))
		}
		*field = p
		return nil
	}
}

func checkSwitch(text string) error {
	if text != "on" && text != "off" {
		return fmt.Errorf("%q is unknown: there are on and off", text)
	}
	return nil
}

// checkTrusted refuses what is no origin of web pages.
func checkTrusted(origin string) error {
	if weburl.Origin(origin) == "" {
		return fmt.Errorf("%q is not an origin, as https://app.example.ro", origin)
	}
	return weburl.CheckOrigin(origin)
}

func checkSignUp(text string) error {
	if text != "open" && text != "closed" {
		return fmt.Errorf("%q is unknown: there are open and closed", text)
	}
	return nil
}

func (a *Auth) resolve(repl *caddy.Replacer) error {
	for i, origin := range a.TrustedOrigins {
		a.TrustedOrigins[i] = repl.ReplaceAll(origin, "")
	}
	a.RequireVerification = repl.ReplaceAll(a.RequireVerification, "")
	a.SignUp = cmp.Or(repl.ReplaceAll(a.SignUp, ""), "open")
	for name, p := range map[string]*Provider{"github": a.GitHub, "google": a.Google} {
		if p == nil {
			continue
		}
		for _, field := range []*string{&p.ID, &p.Secret} {
			value, err := repl.ReplaceOrErr(*field, false, true)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			*field = strings.TrimRight(value, "\r\n") // files end with a newline
		}
	}
	return nil
}

// validate refuses settings with which people could not sign in, or others could
// in their stead.
func (a *Auth) validate(m *Mail, baseURL string) error {
	for _, origin := range a.TrustedOrigins {
		if err := checkTrusted(origin); err != nil {
			return fmt.Errorf("trusted_origins: %w", err)
		}
	}
	if err := checkSwitch(cmp.Or(a.RequireVerification, "off")); err != nil {
		return fmt.Errorf("require_verification: %w", err)
	}
	if err := checkSignUp(a.SignUp); err != nil {
		return fmt.Errorf("sign_up: %w", err)
	}
	mails := m.Server() != (mail.Server{})
	switch {
	case a.RequireVerification == "on" && !mails:
		return errors.New("require_verification is on, and no mail can be sent: name a mail server (RODATA_SMTP_URL), or turn it off")
	case mails && baseURL == "":
		return errors.New("mails have links to the service, and its address is missing: give it as base_url (RODATA_BASE_URL); taken from a request, it could be anybody's")
	}
	for name, p := range map[string]*Provider{"github": a.GitHub, "google": a.Google} {
		if p != nil && (p.ID == "") != (p.Secret == "") {
			return fmt.Errorf("%s: the id or the secret is missing; leave both empty to do without", name)
		}
	}
	return nil
}

// Providers are the configured ones.
func (a *Auth) Providers() (all []auth.Provider) {
	if p := a.GitHub; p != nil && p.ID != "" {
		all = append(all, auth.NewGitHub(auth.Client{ID: p.ID, Secret: p.Secret}))
	}
	if p := a.Google; p != nil && p.ID != "" {
		all = append(all, auth.NewGoogle(auth.Client{ID: p.ID, Secret: p.Secret}))
	}
	return all
}
