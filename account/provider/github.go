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

// NewGitHub returns the provider "github". It needs an OAuth app.
func NewGitHub(c Client) *Provider {
	c.Endpoints = cmp.Or(c.Endpoints, githubEndpoints)
	return &Provider{
		Name: "github", client: c, scopes: []string{"read:user", "user:email"},
		identify: func(ctx context.Context, token *oauth2.Token, _ Request) (Identity, error) {
			client := oauth2.NewClient(ctx, oauth2.StaticTokenSource(token))
			client.Timeout = timeout
			return identifyOnGitHub(ctx, client, c.Endpoints.API)
		},
	}
}

func identifyOnGitHub(ctx context.Context, client *http.Client, api string) (Identity, error) {
	var user struct {
		ID     int64  `json:"id"`
		Login  string `json:"login"`
		Name   string `json:"name"`
		Avatar string `json:"avatar_url"`
	}

	if err := askGitHub(ctx, client, api, "/user", &user); err != nil {
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

	if err := askGitHub(ctx, client, api, "/user/emails", &emails); err != nil {
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

func askGitHub(ctx context.Context, client *http.Client, api, path string, answer any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, api+path, nil)
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
