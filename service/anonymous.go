package service

import (
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/rest"
)

// limitDays enforces the daily allowances of callers without a key, if the settings have any.
func (s *Service) limitDays(c *Config) {
	daily := c.Anonymous.Daily()
	if daily.Companies == 0 {
		return
	}

	s.visitors = rest.NewVisitors(s.secret)
	s.gateway.Daily = daily
	s.gateway.Allowances = s.core.days
	if s.fleet != nil {
		s.gateway.Allowances = metering.NewFleetDays(s.fleet, s.core.days, s.fleet.Edges())
	}
}
