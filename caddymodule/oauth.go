package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/oauth"
	"github.com/rodata/rodata/internal/weburl"
	"github.com/rodata/rodata/mcp"
)

// checkOAuth refuses settings with which tokens would be issued by nobody in
// particular, or travel in the clear.
func checkOAuth(on, baseURL string) error {
	if on == "" || on == "off" {
		return nil
	}
	if err := checkSwitch(on); err != nil {
		return err
	}
	u, err := url.Parse(baseURL)
	switch {
	case baseURL == "":
		return errors.New("it needs the address of the service, which programs compare letter by letter: give it as base_url (RODATA_BASE_URL)")
	case err != nil || u.Path != "":
		return fmt.Errorf("base_url %s has a path, below which programs would not look: serve it at a host of its own", baseURL)
	case u.Scheme != "https" && !weburl.Loopback(u.Hostname()):
		return fmt.Errorf("base_url %s is not encrypted: use https", baseURL)
	}
	return nil
}

// openOAuth makes what lets people allow programs the use of their accounts, when
// the settings say so.
func (s *service) openOAuth(a *App) error {
	if a.OAuth != "on" {
		return nil
	}
	secret, err := account.LoadSecret(a.Secret, a.DataDir)
	if err != nil {
		return err
	}
	s.oauth = oauth.New(oauth.Options{
		Store: s.store, Secret: secret, People: s.auth, Issuer: a.BaseURL, Resource: a.BaseURL + mcp.Path,
		Address: clientAddress, Buckets: s.core.buckets, Logger: a.logger,
	})
	s.ends = append(s.ends, s.oauth.Close)
	s.background(func(ctx context.Context) {
		s.oauth.WriteUses(ctx, func(err error) { slog.New(liveLog{}).Error("noting the use of grants", "error", err) })
	})
	return nil
}

// grants reports whether a path is one at which programs look when people can allow
// them the use of their accounts; those below /api/auth are ours in any case.
func (a *App) grants(path string) bool {
	return a.OAuth == "on" && strings.HasPrefix(path, "/.well-known/oauth-")
}
