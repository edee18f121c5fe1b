package caddymodule

import (
	"context"
	"strings"
	"time"

	"github.com/rodata/rodata/account/oauth"
	"github.com/rodata/rodata/mcp"
)

// openOAuth opens the OAuth server, if the settings turn it on.
func (s *service) openOAuth(a *App) error {
	if a.OAuth != "on" {
		return nil
	}

	s.oauth = oauth.New(oauth.Options{
		Store: s.store, Secret: s.secret, People: s.auth, Issuer: a.BaseURL, Resource: a.BaseURL + mcp.Path,
		Address: clientAddress, Buckets: s.core.buckets, Logger: a.logger,
		GrantAge: time.Duration(a.Auth.GrantMaxAge),
	})

	s.ends = append(s.ends, s.oauth.Close)
	s.background(func(ctx context.Context) {
		s.oauth.WriteUses(ctx, func(err error) { live.Error("recording when grants were used failed", "error", err) })
	})

	return nil
}

// isOAuthMetadata reports whether a path belongs to the OAuth metadata, which are served only while OAuth is on.
func (a *App) isOAuthMetadata(path string) bool {
	return a.OAuth == "on" && strings.HasPrefix(path, "/.well-known/oauth-")
}
