package provider

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// googleEndpoints are Google's endpoints (https://accounts.google.com/.well-known/openid-configuration, 2026-11-20).
var googleEndpoints = Endpoints{
	Authorize: "https://accounts.google.com/o/oauth2/v2/auth",
	Token:     "https://oauth2.googleapis.com/token",
	Keys:      "https://www.googleapis.com/oauth2/v3/certs",
	Issuer:    "https://accounts.google.com",
}

type google struct {
	Client
	http     *http.Client
	verifier *oidc.IDTokenVerifier
}

// NewGoogle returns the provider "google". It needs an OAuth client of the type web application.
func NewGoogle(c Client) Provider {
	if c.Endpoints == (Endpoints{}) {
		c.Endpoints = googleEndpoints
	}

	client := newHTTPClient()
	keys := oidc.NewRemoteKeySet(oidc.ClientContext(context.Background(), client), c.Endpoints.Keys)
	return &google{c, client, oidc.NewVerifier(c.Endpoints.Issuer, keys, &oidc.Config{ClientID: c.ID})}
}

// Name implements Provider.
func (*google) Name() string { return "google" }

// AuthorizeURL implements Provider.
func (g *google) AuthorizeURL(t Request) string {
	return g.config(t, "email", "profile", "openid").AuthCodeURL(t.State, oauth2.S256ChallengeOption(t.Verifier),
		oidc.Nonce(t.Nonce), oauth2.SetAuthURLParam("include_granted_scopes", "true"))
}

// Identify implements Provider.
func (g *google) Identify(ctx context.Context, t Request, code string) (Identity, error) {
	ctx = oidc.ClientContext(ctx, g.http)
	token, err := g.config(t).Exchange(ctx, code, oauth2.VerifierOption(t.Verifier))
	if err != nil {
		return Identity{}, fmt.Errorf("exchanging a code with google: %w", err)
	}

	raw, _ := token.Extra("id_token").(string)
	id, err := g.verifier.Verify(ctx, raw)
	if err != nil {
		return Identity{}, fmt.Errorf("checking the id token of google: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(t.Nonce)) != 1 {
		return Identity{}, errors.New("the id token of google belongs to another browser")
	}

	var claims struct {
		Email    string `json:"email"`
		Verified bool   `json:"email_verified"`
		Name     string `json:"name"`
		Picture  string `json:"picture"`
	}

	if err := id.Claims(&claims); err != nil {
		return Identity{}, fmt.Errorf("reading the id token of google: %w", err)
	}

	return Identity{id.Subject, claims.Email, claims.Verified, claims.Name, claims.Picture}, nil
}
