package provider

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"

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

// NewGoogle returns the provider "google". It needs an OAuth client of the type web application.
func NewGoogle(c Client) *Provider {
	c.Endpoints = cmp.Or(c.Endpoints, googleEndpoints)
	keys := oidc.NewRemoteKeySet(oidc.ClientContext(context.Background(), newHTTPClient()), c.Endpoints.Keys)
	verifier := oidc.NewVerifier(c.Endpoints.Issuer, keys, &oidc.Config{ClientID: c.ID})
	return &Provider{
		Name: "google", client: c, scopes: []string{"email", "profile", "openid"},
		options: func(t Request) []oauth2.AuthCodeOption {
			return []oauth2.AuthCodeOption{oidc.Nonce(t.Nonce),
				oauth2.SetAuthURLParam("include_granted_scopes", "true")}
		},
		identify: func(ctx context.Context, token *oauth2.Token, t Request) (Identity, error) {
			return readIDToken(ctx, verifier, token, t.Nonce)
		},
	}
}

func readIDToken(ctx context.Context, verifier *oidc.IDTokenVerifier, token *oauth2.Token,
	nonce string) (Identity, error) {
	raw, _ := token.Extra("id_token").(string)
	id, err := verifier.Verify(ctx, raw)
	if err != nil {
		return Identity{}, fmt.Errorf("checking the id token of google: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(nonce)) != 1 {
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
