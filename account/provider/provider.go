// Package provider identifies users by their accounts at other services.
package provider

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/oauth2"
)

// Provider signs people in with an account at another service.
type Provider struct {
	// Name is the provider's name in requests, such as "github".
	Name string

	client   Client
	scopes   []string
	options  func(Request) []oauth2.AuthCodeOption // further parameters of the authorization address; nil for none
	identify func(context.Context, *oauth2.Token, Request) (Identity, error)
}

// Client is the OAuth client registered with a provider.
type Client struct {
	// ID and Secret are issued by the provider. The redirect URI to register is the service's address followed by
	// /api/auth/callback/ and the provider's name.
	ID, Secret string
	// Endpoints are the provider's addresses. Default: the public ones.
	Endpoints Endpoints
}

// Endpoints are the addresses of a provider.
type Endpoints struct {
	// Authorize is where browsers are sent, Token where codes are exchanged.
	Authorize, Token string
	// API is GitHub's REST API.
	API string
	// Keys is the address of Google's signing keys, and Issuer its issuer identifier.
	Keys, Issuer string
}

// Request holds the parameters of one authorization request.
type Request struct {
	State    string // returned by the redirect
	Verifier string // PKCE, sent with the code (RFC 7636)
	Nonce    string // returned in the id token
	Redirect string // redirect URI
}

// Identity is a user as a provider describes them.
type Identity struct {
	Subject string // never changes
	Email   string
	// IsVerified is set if the provider has verified the address.
	IsVerified  bool
	Name, Image string
}

// AuthorizeURL returns the authorization address to redirect to.
func (p *Provider) AuthorizeURL(t Request) string {
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(t.Verifier)}
	if p.options != nil {
		options = append(options, p.options(t)...)
	}
	return p.config(t).AuthCodeURL(t.State, options...)
}

// Identify exchanges a code for the identity of the user.
func (p *Provider) Identify(ctx context.Context, t Request, code string) (Identity, error) {
	ctx = context.WithValue(ctx, oauth2.HTTPClient, newHTTPClient())
	token, err := p.config(t).Exchange(ctx, code, oauth2.VerifierOption(t.Verifier))
	if err != nil {
		return Identity{}, fmt.Errorf("exchanging a code with %s: %w", p.Name, err)
	}
	return p.identify(ctx, token, t)
}

func (p *Provider) config(t Request) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.client.ID, ClientSecret: p.client.Secret, RedirectURL: t.Redirect, Scopes: p.scopes,
		Endpoint: oauth2.Endpoint{AuthURL: p.client.Endpoints.Authorize, TokenURL: p.client.Endpoints.Token,
			AuthStyle: oauth2.AuthStyleInParams},
	}
}

// Limits of a provider's answers.
const (
	timeout   = 10 * time.Second
	maxAnswer = 1 << 20
)

func newHTTPClient() *http.Client {
	return &http.Client{Timeout: timeout, Transport: boundedTransport{}}
}

// boundedTransport truncates answers that are too long.
type boundedTransport struct{}

// RoundTrip implements http.RoundTripper.
func (boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, maxAnswer), res.Body}
	}

	return res, err
}
