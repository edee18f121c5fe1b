package oauth

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/metering"
)

// registrations is how often one address may register programs; it may be many
// people's connector.
var registrations = metering.PerSecond(1, 20)

// maxRegistered is how many bytes the redirect URIs of a registration may have
// together. The client_id has a third more, and travels in addresses.
const maxRegistered = 2 << 10

// register gives a program an id (RFC 7591), and stores nothing. Metadata that makes
// no difference here is ignored.
func (s *Server) register(x *exchange) error {
	if err := s.admit(x, "oauth registrations", registrations); err != nil {
		return err
	}
	text, err := x.body("application/json", "invalid_client_metadata")
	if err != nil {
		return err
	}
	var asked struct {
		Name       string   `json:"client_name"`
		Redirects  []string `json:"redirect_uris"`
		GrantTypes []string `json:"grant_types"`
	}
	if err := json.Unmarshal(text, &asked); err != nil {
		return bad("invalid_client_metadata", "the body is not what RFC 7591 describes")
	}
	if asked.GrantTypes != nil && !slices.Contains(asked.GrantTypes, "authorization_code") {
		return bad("invalid_client_metadata", "grant_types must have authorization_code")
	}
	if err := checkRedirects(asked.Redirects); err != nil {
		return err
	}
	if size := len(strings.Join(asked.Redirects, "")); size > maxRegistered {
		return bad("invalid_redirect_uri", "redirect_uris have %d bytes together, at most %d are registered; list fewer or shorter ones", size, maxRegistered)
	}
	app := account.App{Name: appName(asked.Name, asked.Redirects), Redirects: asked.Redirects, CreatedAt: time.Now().UTC().Truncate(time.Millisecond)}
	app.ID = s.clients.issue(app)
	x.send(http.StatusCreated, "application/json", map[string]any{
		"client_id":                  app.ID,
		"client_id_issued_at":        app.CreatedAt.Unix(),
		"client_name":                app.Name,
		"redirect_uris":              app.Redirects,
		"grant_types":                []string{"authorization_code", "refresh_token"},
		"response_types":             []string{"code"},
		"token_endpoint_auth_method": "none",
		"scope":                      Scope,
	})
	return nil
}

// app is the program of a client_id.
func (s *Server) app(ctx context.Context, id string) (account.App, error) {
	if hasDocument(id) {
		return s.documents.app(ctx, id)
	}
	app, err := s.registered(ctx, id)
	if errors.Is(err, account.ErrNoApp) {
		err = unknownClient()
	}
	return app, err
}

// registered finds a program that registered. Releases until November 2026 stored
// registrations; those that people allowed something are still there.
func (s *Server) registered(ctx context.Context, id string) (account.App, error) {
	if strings.HasPrefix(id, clientIDPrefix) {
		return s.clients.app(id)
	}
	return s.Store.App(ctx, id)
}

// documentRate is how often one account may have documents fetched.
var documentRate = metering.PerSecond(1, 10)

// appFor is the program of a client_id, as a person is to see it.
func (s *Server) appFor(ctx context.Context, session account.Session, id string) (account.App, error) {
	if hasDocument(id) {
		bucket := metering.BucketID{Account: "oauth documents " + session.Account}
		if wait := s.Buckets.Take(bucket, documentRate).RetryAfter; wait > 0 {
			return account.App{}, tooMany(wait)
		}
	}
	return s.app(ctx, id)
}

// maxName is how many characters of a name are kept.
const maxName = 60

// appName is what a program calls itself, as far as it can be shown, or else where
// it takes people back to.
func appName(name string, redirects []string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar { // with what turns text around
			return -1
		}
		return r
	}, name)
	name = strings.Join(strings.Fields(name), " ")
	if runes := []rune(name); len(runes) > maxName {
		name = string(runes[:maxName]) + "…"
	}
	return cmp.Or(name, place(redirects[0]), "?")
}
