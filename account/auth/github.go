package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"golang.org/x/oauth2"
)

// githubEndpoints are GitHub's endpoints
// (https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps, 2026-11-20).
var githubEndpoints = Endpoints{
	Authorize: "https://github.com/login/oauth/authorize",
	Token:     "https://github.com/login/oauth/access_token",
	API:       "https://api.github.com",
}

type github struct {
	Client
	http *http.Client
}

// NewGitHub returns the provider "github". It needs an OAuth app.
func NewGitHub(c Client) Provider {
	if c.Endpoints == (Endpoints{}) {
		c.Endpoints = githubEndpoints
	}
	return &github{c, providerClient()}
}

// Name implements Provider.
func (*github) Name() string { return "github" }

func (g *github) authorizeURL(t authRequest) string {
	return g.config(t, "read:user", "user:email").AuthCodeURL(t.state, oauth2.S256ChallengeOption(t.verifier))
}

func (g *github) identify(ctx context.Context, t authRequest, code string) (identity, error) {
	ctx = context.WithValue(ctx, oauth2.HTTPClient, g.http)
	token, err := g.config(t).Exchange(ctx, code, oauth2.VerifierOption(t.verifier))
	if err != nil {
		return identity{}, fmt.Errorf("exchanging a code with github: %w", err)
	}

	client := g.config(t).Client(ctx, token)
	client.Timeout = providerTimeout
	var user struct {
		ID     int64  `json:"id"`
		Login  string `json:"login"`
		Name   string `json:"name"`
		Avatar string `json:"avatar_url"`
	}

	if err := g.ask(ctx, client, "/user", &user); err != nil {
		return identity{}, err
	}
	if user.ID == 0 {
		return identity{}, errors.New("github returned a user without an id")
	}

	var emails []struct {
		Email    string `json:"email"`
		Primary  bool   `json:"primary"`
		Verified bool   `json:"verified"`
	}

	if err := g.ask(ctx, client, "/user/emails", &emails); err != nil {
		return identity{}, err
	}

	who := identity{subject: strconv.FormatInt(user.ID, 10), name: cmp.Or(user.Name, user.Login), image: user.Avatar}
	for _, e := range emails {
		if e.Primary {
			who.email, who.verified = e.Email, e.Verified
		}
	}

	return who, nil
}

func (g *github) ask(ctx context.Context, client *http.Client, path string, answer any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, g.Endpoints.API+path, nil)
	if err != nil {
		return err
	}

	r.Header.Set("Accept", "application/vnd.github+json")
	res, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("asking github for %s: %w", path, err)
	}
	defer res.Body.Close()

	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("asking github for %s: status %d", path, res.StatusCode)
	}
	if err := json.NewDecoder(res.Body).Decode(answer); err != nil {
		return fmt.Errorf("reading %s of github: %w", path, err)
	}

	return nil
}
