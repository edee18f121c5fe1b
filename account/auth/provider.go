package auth

import (
	"context"
	"io"
	"net/http"
	"time"
)

// Provider signs people in with an account that they have elsewhere.
type Provider interface {
	// Name is what the client calls the provider, as in "github".
	Name() string
	// authorizeURL is where a browser is sent.
	authorizeURL(t trip) string
	// identify finds out whom the provider sends back with a code.
	identify(ctx context.Context, t trip, code string) (identity, error)
}

// Client is what a provider knows us as.
type Client struct {
	// ID and Secret are given by the provider, for which the address that people
	// come back to is the service's own with /api/auth/callback/ and the provider's
	// name behind.
	ID, Secret string
	// Endpoints are the provider's addresses. Default: the public ones.
	Endpoints Endpoints
}

// Endpoints are the addresses of a provider.
type Endpoints struct {
	// Authorize is where browsers are sent, Token where codes are exchanged.
	Authorize, Token string
	// API is where GitHub tells about users.
	API string
	// Keys are what Google signs with, and Issuer is what it calls itself.
	Keys, Issuer string
}

// trip is one person's way to a provider and back.
type trip struct {
	state    string // goes along and comes back
	verifier string // shown only when the code is exchanged (RFC 7636)
	nonce    string // comes back in an id token
	redirect string // where the person comes back to
}

// identity is who somebody is elsewhere.
type identity struct {
	subject string // never changes
	email   string
	// verified says that the provider knows the address to be the person's.
	verified    bool
	name, image string
}

// The bounds of what a provider may answer.
const (
	providerTimeout = 10 * time.Second
	maxAnswer       = 1 << 20
)

// providerClient is a client with these bounds.
func providerClient() *http.Client {
	return &http.Client{Timeout: providerTimeout, Transport: boundedTransport{}}
}

// boundedTransport ends what is too long to be an answer.
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
