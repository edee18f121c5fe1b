package oauth

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/metering"
)

// registrationRate limits the rate of registrations from an address, which may be a connector that serves many people.
var registrationRate = metering.PerSecond(1, 20)

// maxRegistered limits the redirect URIs of a registration, in bytes. The client_id is a third longer, and is part of
// addresses.
const maxRegistered = 2 << 10

// register issues a client id (RFC 7591) and stores nothing. Irrelevant metadata is ignored.
func (s *Server) register(x *exchange) error {
	if err := s.admit(x, "oauth registrations", registrationRate); err != nil {
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
		return bad("invalid_client_metadata", "the body is not valid client metadata (RFC 7591)")
	}
	if asked.GrantTypes != nil && !slices.Contains(asked.GrantTypes, "authorization_code") {
		return bad("invalid_client_metadata", "grant_types must include authorization_code")
	}
	if err := checkRedirects(asked.Redirects); err != nil {
		return err
	}

	if size := len(strings.Join(asked.Redirects, "")); size > maxRegistered {
		return bad("invalid_redirect_uri",
			"redirect_uris have %d bytes in total, and at most %d can be registered; list fewer or shorter ones", size,
			maxRegistered)
	}

	now := time.Now()
	app := account.App{Name: appName(asked.Name, asked.Redirects), Redirects: asked.Redirects}
	app.ID = s.clients.issue(app, now)
	web.WriteJSON(x.w, http.StatusCreated, map[string]any{
		"client_id":                  app.ID,
		"client_id_issued_at":        now.Unix(),
		"client_name":                app.Name,
		"redirect_uris":              app.Redirects,
		"grant_types":                []string{"authorization_code", "refresh_token"},
		"response_types":             []string{"code"},
		"token_endpoint_auth_method": "none",
		"scope":                      account.AllScopes,
	})

	return nil
}

func (s *Server) app(ctx context.Context, id string) (account.App, error) {
	if hasDocument(id) {
		return s.documents.app(ctx, id)
	}
	return s.clients.app(id)
}

var documentRate = metering.PerSecond(1, 10)

// appFor returns the client of a client_id, with the name to show.
func (s *Server) appFor(ctx context.Context, session account.Session, id string) (account.App, error) {
	if hasDocument(id) {
		bucket := metering.BucketID{Account: "oauth documents " + session.Account}
		if wait := s.Buckets.Take(bucket, documentRate).RetryAfter; wait > 0 {
			return account.App{}, tooMany(wait)
		}
	}

	return s.app(ctx, id)
}

// maxName limits the characters of a name.
const maxName = 60

// appName returns the client's name if it is printable, or else the place that it redirects to.
func appName(name string, redirects []string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar { // including bidirectional controls
			return -1
		}
		return r
	}, name)

	name = strings.Join(strings.Fields(name), " ")
	if runes := []rune(name); len(runes) > maxName {
		name = string(runes[:maxName]) + "…"
	}

	return cmp.Or(name, redirectLabel(redirects[0]), "?")
}
