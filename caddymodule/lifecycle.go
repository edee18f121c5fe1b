package caddymodule

import (
	"errors"
	"slices"
	"sync"
)

// Start opens the service, and logs a warning if sign-up reveals who has an account.
func (a *App) Start() error {
	s, err := a.open()
	if err == nil && a.Environment == "production" && s.auth.AllowsEnumeration() && a.public() {
		a.logger.Warn("sign-up reveals who has an account, because addresses are not verified by mail: " +
			"name a mail server (RODATA_SMTP_URL), or close sign-up (RODATA_SIGN_UP=closed) and open accounts with " +
			"\"rodata accounts create\"")
	}

	return err
}

// open opens the service once. The first request may arrive before Start, since Caddy starts its apps in any order.
func (a *App) open() (*service, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.service.Load(); s != nil {
		return s, nil
	}
	if a.closed {
		return nil, errors.New("the configuration has been replaced")
	}

	s, err := openService(a)
	if err != nil {
		return nil, err
	}

	a.service.Store(s)
	serving.add(s)
	return s, nil
}

// serving are the open services: the current configuration's, and during a reload also the next one's.
var serving services

// services is a list of open services, the newest last. The newest one answers requests to a configuration that is
// already closed. It also answers requests to the admin API, because Caddy switches the admin API to a new
// configuration before the configuration is known to work, and does not switch back.
type services struct {
	mu   sync.Mutex
	open []*service
}

func (l *services) add(s *service) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = append(l.open, s)
}

func (l *services) remove(s *service) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = slices.DeleteFunc(l.open, func(o *service) bool { return o == s })
}

// enter registers a request with the newest open service and returns the service. It returns nil if no service is open.
func (l *services) enter() *service {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range slices.Backward(l.open) {
		if s.enter() {
			return s
		}
	}

	return nil
}

// enter registers a request and returns the service that answers it, or nil if no service is open. If a reload closes
// the configuration while the header of the request is being read, the successor answers.
func (a *App) enter() *service {
	s := a.service.Load()
	if s == nil {
		var err error
		if s, err = a.open(); err != nil {
			a.logger.Error("opening the gateway", "error", err)
		}
	}

	if s != nil && s.enter() {
		return s
	}

	return serving.enter()
}

// Stop does nothing: requests may still be in flight.
func (*App) Stop() error { return nil }

// Cleanup closes the service once the requests in flight have ended. Caddy also calls it
// for a configuration that was never opened.
func (a *App) Cleanup() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	if s := a.service.Load(); s != nil {
		serving.remove(s)
		return s.close()
	}

	return nil
}
