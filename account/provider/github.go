package provider

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
	return &github{c, newHTTPClient()}
}

// Name implements Provider.
func (*github) Name() string { return "github" }

// AuthorizeURL implements Provider.
func (g *github) AuthorizeURL(t Request) string {
	return g.config(t, "read:user", "user:email").AuthCodeURL(t.State, oauth2.S256ChallengeOption(t.Verifier))
}

// Identify implements Provider.
func (g *github) Identify(ctx context.Context, t Request, code string) (Identity, error) {
	ctx = context.WithValue(ctx, oauth2.HTTPClient, g.http)
	token, err := g.config(t).Exchange(ctx, code, oauth2.VerifierOption(t.Verifier))
	if err != nil {
		return Identity{}, fmt.Errorf("exchanging a code with github: %w", err)
	}

	client := g.config(t).Client(ctx, token)
	client.Timeout = timeout
	var user struct {
		ID     int64  `json:"id"`
		Login  string `json:"login"`
		Name   string `json:"name"`
		Avatar string `json:"avatar_url"`
	}

	if err := g.ask(ctx, client, "/user", &user); err != nil {
		return Identity{}, err
	}
	if user.ID == 0 {
		return Identity{}, errors.New("github returned a user without an id")
	}

	var emails []struct {
		Email    string `json:"email"`
		Primary  bool   `json:"primary"`
		Verified bool   `json:"verified"`
	}

	if err := g.ask(ctx, client, "/user/emails", &emails); err != nil {
		return Identity{}, err
	}

	who := Identity{Subject: strconv.FormatInt(user.ID, 10), Name: cmp.Or(user.Name, user.Login), Image: user.Avatar}
	for _, e := range emails {
		if e.Primary {
			who.Email, who.IsVerified = e.Email, e.Verified
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
		return fmt.Errorf("requesting %s from github: %w", path, err)
	}
	defer res.Body.Close()

	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("requesting %s from github: status %d", path, res.StatusCode)
	}
	if err := json.NewDecoder(res.Body).Decode(answer); err != nil {
		return fmt.Errorf("reading %s of github: %w", path, err)
	}

	return nil
}
