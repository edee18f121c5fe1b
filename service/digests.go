package service

import "github.com/rodata/rodata/watch"

// sendDigests sends the digests of watch-lists. Of several edges that share the store, only one does. Without a mail
// server, nothing is sent.
func (s *Service) sendDigests() {
	if !s.outbox.Enabled() {
		return
	}

	d := &watch.Digests{
		Store: s.watching.store, Users: s.store.UserOfAccount, Send: s.outbox.Send, Site: s.config.BaseURL, Log: s.live,
	}
	if s.observed.shared {
		s.lead(s.watching.store.Leases(), "digests", d.Run)
	} else {
		s.background(d.Run)
	}
}
