package caddymodule

import (
	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/rest"
)

// limitDays enforces the daily allowances of callers without a key, if the settings have
// any.
func (s *service) limitDays(a *App) error {
	daily := a.Anonymous.Daily()
	if daily.Companies == 0 {
		return nil
	}

	secret, err := account.LoadSecret(a.Secret, a.DataDir)
	if err != nil {
		return err
	}

	s.visitors = rest.NewVisitors(secret)
	s.gateway.Daily = daily
	s.gateway.Allowances = s.core.days
	if s.fleet != nil {
		s.gateway.Allowances = metering.NewFleetDays(s.fleet, s.core.days, s.fleet.Edges())
	}

	return nil
}
