package efactura

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/rodata/rodata/account"
)

// Shelf is where a Vault keeps tokens: under names, and sealed. Its methods may be
// called by several processes.
type Shelf interface {
	// Token is what is kept; nil when there is nothing.
	Token(ctx context.Context, name string) ([]byte, error)
	// HoldToken is Token, and has others who would hold it fail with ErrRenewing until
	// a time; it fails so itself while somebody else does.
	HoldToken(ctx context.Context, name string, now, until time.Time) ([]byte, error)
	// KeepToken keeps a token in place of what was there, and lets go of it. The error
	// is ErrRenewing when something else is there by now.
	KeepToken(ctx context.Context, name string, was, is []byte) error
	// ReleaseToken lets go of what is held until a time.
	ReleaseToken(ctx context.Context, name string, until time.Time) error
}

// Vault is a TokenStore that all processes on one Shelf share. Whoever has only a
// copy of the shelf cannot use what is on it.
//
// A process that dies after the authority has answered a renewal, and before that is
// kept, loses the next refresh token. The access token that is kept is good for
// another ten days then, in which the failing renewal is seen and a person can sign
// in again.
type Vault struct {
	shelf Shelf
	seal  account.Seal
	first string
	name  string
}

const (
	// holdTime is how long a renewal is left to one process: longer than a call lasts
	// and its answer takes to be kept.
	holdTime = 3 * time.Minute
	// keepTime bounds the keeping of a token.
	keepTime = 10 * time.Second
)

// NewVault makes a vault over a shelf, sealed with the secret of the deployment. The
// refresh token is what the operator configured, with which it begins: another one
// begins anew, so that a new one takes the place of a lost one.
func NewVault(shelf Shelf, secret []byte, refreshToken string) (*Vault, error) {
	seal, err := account.NewSeal(secret, "rodata e-Factura token")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(refreshToken))
	return &Vault{shelf: shelf, seal: seal, first: refreshToken, name: hex.EncodeToString(sum[:])}, nil
}

// Token implements TokenStore.
func (v *Vault) Token(ctx context.Context) (Token, error) {
	content, err := v.shelf.Token(ctx, v.name)
	if err != nil {
		return Token{}, fmt.Errorf("reading the e-Factura token: %w", err)
	}
	return v.open(content)
}

// Renew implements TokenStore.
func (v *Vault) Renew(ctx context.Context, stale string, exchange func(context.Context, Token) (Token, error)) (Token, error) {
	now := time.Now()
	until := now.Add(holdTime)
	was, err := v.shelf.HoldToken(ctx, v.name, now, until)
	if err != nil {
		return Token{}, fmt.Errorf("renewing the e-Factura token: %w", err)
	}
	next, err := v.open(was)
	mine := err == nil && next.Access == stale
	if mine {
		next, err = exchange(ctx, next)
	}
	// What was exchanged is kept also when the call is over: there is no second one.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTime)
	defer cancel()
	if err != nil || !mine {
		_ = v.shelf.ReleaseToken(ctx, v.name, until) // it is let go of when its time is over
		return next, err
	}
	is, err := v.close(next)
	if err == nil {
		err = v.shelf.KeepToken(ctx, v.name, was, is)
	}
	if err != nil {
		return Token{}, fmt.Errorf("keeping the new e-Factura token: %w", err)
	}
	return next, nil
}

func (v *Vault) open(content []byte) (t Token, err error) {
	if len(content) == 0 {
		return Token{Refresh: v.first}, nil
	}
	text, err := v.seal.Open(v.name, content)
	if err == nil {
		err = json.Unmarshal(text, &t)
	}
	if err != nil {
		return Token{}, fmt.Errorf("reading the e-Factura token: %w; or configure a new one, and it begins with that", err)
	}
	return t, nil
}

func (v *Vault) close(t Token) ([]byte, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	return v.seal.Close(v.name, text), nil
}

var _ TokenStore = (*Vault)(nil)
