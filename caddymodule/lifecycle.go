package caddymodule

import (
	"errors"

	"github.com/rodata/rodata/caddymodule/accesslog"
	"github.com/rodata/rodata/service"
)

// Start opens the service, and logs a warning if sign-up reveals who has an account.
func (a *App) Start() error {
	s, err := a.open()
	if err == nil && a.Environment == "production" && s.AllowsEnumeration() && a.isPublic() {
		a.logger.Warn("sign-up reveals who has an account, because addresses are not verified by mail: " +
			"name a mail server (RODATA_SMTP_URL), or close sign-up (RODATA_SIGN_UP=closed) and open accounts with " +
			"\"rodata accounts create\"")
	}

	return err
}

// open opens the service once. The first request may arrive before Start, since Caddy starts its apps in any order.
func (a *App) open() (*service.Service, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.running.Load(); s != nil {
		return s, nil
	}
	if a.closed {
		return nil, errors.New("the configuration has been replaced")
	}

	s, err := service.Open(a.config())
	if err != nil {
		return nil, err
	}

	a.stacks.start()
	a.running.Store(s)
	return s, nil
}

// config returns the configuration with which the app's service is opened.
func (a *App) config() service.Config {
	return service.Config{
		Settings: &a.Settings, Logger: a.logger, Live: live, URL: a.URL, Address: clientAddress,
		Record: accesslog.Record, LogPath: logPath, About: a.about, ListCompanies: a.sitemap, PrintMail: Terminal.Mail,
	}
}

// enter registers a request and returns the service that answers it, or nil if no service is open. If a reload closes
// the configuration while the header of the request is being read, the successor answers.
func (a *App) enter() *service.Service {
	s := a.running.Load()
	if s == nil {
		var err error
		if s, err = a.open(); err != nil {
			a.logger.Error("opening the gateway", "error", err)
		}
	}

	if s != nil && s.Enter() {
		return s
	}

	return service.Enter()
}

// Stop does nothing: requests may still be in flight.
func (*App) Stop() error { return nil }

// Cleanup closes the service once the requests in flight have ended. Caddy also calls it
// for a configuration that was never opened.
func (a *App) Cleanup() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	if s := a.running.Load(); s != nil {
		a.stacks.close()
		return s.Close()
	}

	return nil
}
