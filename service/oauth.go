package service

import (
	"context"
	"time"

	"github.com/rodata/rodata/account/oauth"
	"github.com/rodata/rodata/mcp"
)

// openOAuth opens the OAuth server, if the settings turn it on.
func (s *Service) openOAuth(c *Config) error {
	if c.OAuth != "on" {
		return nil
	}

	s.oauth = oauth.New(oauth.Options{
		Store: s.store, Secret: s.secret, People: s.auth, Issuer: c.BaseURL, Resource: c.BaseURL + mcp.Path,
		Address: c.Address, Buckets: s.core.buckets, Logger: c.Logger,
		GrantAge: time.Duration(c.Auth.GrantMaxAge),
	})

	s.ends = append(s.ends, s.oauth.Close)
	s.background(func(ctx context.Context) {
		s.oauth.WriteUses(ctx, func(err error) { s.live.Error("recording when grants were used failed", "error", err) })
	})

	return nil
}
