package service

import (
	"net/http"

	"github.com/rodata/rodata/account/auth"
	"github.com/rodata/rodata/compat"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/rest"
	"github.com/rodata/rodata/site"
	"github.com/rodata/rodata/upstream/caen"
)

// openREST opens the REST channel.
func (s *Service) openREST(c *Config) error {
	s.streams = op.NewStreams()
	s.REST = rest.New(rest.Options{
		Gateway: s.gateway, Operations: s.operations, Callbacks: s.callbacks, BaseURL: c.URL, Address: c.Address,
		Buckets: s.core.buckets, Events: &s.core.events, Streams: s.streams, Visitors: s.visitors, Delegate: s.delegate,
		LogPath: c.LogPath, Logger: c.Logger,
	})
	return nil
}

// delegate returns the handler of a path for signing in.
func (s *Service) delegate(path string) http.Handler {
	switch {
	case s.oauth != nil && s.oauth.Handles(path):
		return s.oauth
	case auth.Handles(path):
		return s.Auth
	}

	return nil
}

// openCompat opens the channel of the registries' protocols.
func (s *Service) openCompat(c *Config) error {
	s.Compat = compat.New(compat.Options{
		Gateway: s.gateway, Operations: s.protocols, Address: c.Address, Logger: c.Logger,
		Stay: func() (leave func(), ok bool) { return s.Leave, s.Enter() },
	})
	return nil
}

// openSite opens the channel for people.
func (s *Service) openSite(c *Config) error {
	o := site.Options{
		Operations: s.operations, Environment: c.Environment, Gateway: s.gateway, URL: c.URL, Address: c.Address,
		Logger: c.Logger, Sitemap: site.Sitemap{Classification: caen.Load(), Fixings: s.bank.Registry},
		About: c.About, Mails: s.Auth.Mailer != nil, Closed: s.Auth.SignUpClosed, Apps: s.oauth != nil,
	}
	if c.ListCompanies {
		o.Sitemap.Companies = s.trade
	}

	for _, p := range s.Auth.Providers {
		o.Providers = append(o.Providers, p.Name)
	}

	s.Site = site.New(o)
	return nil
}
