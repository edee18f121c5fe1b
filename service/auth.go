package service

import (
	"context"
	"time"

	"github.com/rodata/rodata/account/auth"
	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/account/oauth"
	"github.com/rodata/rodata/mcp"
)

// openAuth opens sign-in, over the store and the outbox.
func (s *Service) openAuth(c *Config) error {
	mails := c.Mail.Server() != (mail.Server{})
	o := auth.Options{
		Store: s.Store, Secret: s.secret, BaseURL: c.URL, Address: c.Address,
		TrustedOrigins: c.Auth.TrustedOrigins, Providers: c.Auth.Providers(), DefaultPlan: c.Auth.Plan,
		RequireVerification: c.Auth.RequireVerification == "on" || mails && c.Auth.RequireVerification == "",
		SignUpClosed:        c.Auth.SignUp == "closed", Closing: s.leaveAccount, Unsubscribe: s.unsubscribe,
		SessionAge: time.Duration(c.Auth.SessionMaxAge),
		Buckets:    s.core.buckets, Fleet: s.fleetBuckets(), Logger: c.Logger,
	}
	if mails || c.Environment == "sandbox" { // the sandbox shows mails
		o.Mailer = s.outbox
	}

	s.Auth = auth.New(o)
	s.ends = append(s.ends, s.Auth.Close)
	return nil
}

// leaveAccount ends an account's subscription and other ties before it is deleted.
func (s *Service) leaveAccount(ctx context.Context, owner string) error {
	if err := s.Billing.Cancel(ctx, owner); err != nil {
		return err
	}
	return s.watching.store.DeleteAccount(ctx, owner)
}

// openOAuth opens the OAuth server, if the settings turn it on.
func (s *Service) openOAuth(c *Config) error {
	if c.OAuth != "on" {
		return nil
	}

	s.oauth = oauth.New(oauth.Options{
		Store: s.Store, Secret: s.secret, People: s.Auth, Issuer: c.BaseURL, Resource: c.BaseURL + mcp.Path,
		Address: c.Address, Buckets: s.core.buckets, Logger: c.Logger,
		GrantAge: time.Duration(c.Auth.GrantMaxAge),
	})

	s.ends = append(s.ends, s.oauth.Close)
	s.background(func(ctx context.Context) {
		s.oauth.Tokens.WriteUses(ctx, func(err error) { s.live.Error("recording when grants were used failed", "error", err) })
	})

	return nil
}
