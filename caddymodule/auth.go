package caddymodule

import (
	"context"
	"time"

	"github.com/rodata/rodata/account/auth"
	"github.com/rodata/rodata/account/mail"
)

// openAuth opens sign-in, over the store and the outbox.
func (s *service) openAuth(a *App) error {
	mails := a.Mail.Server() != (mail.Server{})
	o := auth.Options{
		Store: s.store, Secret: s.secret, BaseURL: a.URL, Address: clientAddress,
		TrustedOrigins: a.Auth.TrustedOrigins, Providers: a.Auth.Providers(), DefaultPlan: a.Auth.Plan,
		RequireVerification: a.Auth.RequireVerification == "on" || mails && a.Auth.RequireVerification == "",
		SignUpClosed:        a.Auth.SignUp == "closed", Closing: s.leaveAccount,
		SessionAge: time.Duration(a.Auth.SessionMaxAge),
		Buckets:    s.core.buckets, Fleet: s.fleetBuckets(), Logger: a.logger,
	}
	if mails || a.Environment == "sandbox" { // the sandbox shows mails
		o.Mailer = s.outbox
	}

	s.auth = auth.New(o)
	s.ends = append(s.ends, s.auth.Close)
	return nil
}

// leaveAccount ends an account's subscription and other ties before it is deleted.
func (s *service) leaveAccount(ctx context.Context, owner string) error {
	if err := s.billing.Cancel(ctx, owner); err != nil {
		return err
	}
	return s.watching.store.DeleteAccount(ctx, owner)
}
