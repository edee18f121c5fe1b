package service

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"

	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/caddymodule/settings"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/site"
)

// Config holds what a service needs: the settings, and what the web server in front of it knows. All fields are
// required unless they say otherwise.
type Config struct {
	// Settings must have been resolved and validated. The service does not change them.
	*settings.Settings

	// Logger is the log of this configuration, and Live the log of state that survives it: Live writes to the log of
	// whichever configuration is current.
	Logger, Live *slog.Logger

	// URL returns the address of the service for a request, without a trailing slash.
	URL func(*http.Request) string
	// Address returns the client's address; the zero address for a connection without one, such as a Unix socket.
	Address func(*http.Request) netip.Addr
	// Record makes a call available to the access log: see [telemetry.Record].
	Record func(context.Context, *op.Observation) (traced bool)
	// LogPath redacts the secrets in a path.
	LogPath func(path string) string

	// About contains the operator's texts for the site. Optional.
	About site.About
	// ListCompanies lists every company in operation in the site's sitemap.
	ListCompanies bool
	// PrintMail receives the mails of the sandbox if there is no mail server. If it is nil, they are logged.
	PrintMail func(mail.Message)
}
