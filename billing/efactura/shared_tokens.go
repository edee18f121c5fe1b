package efactura

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/rodata/rodata/account"
)

// TokenRepository stores encrypted tokens by name. Several processes may use it at the same time.
type TokenRepository interface {
	// Token returns the stored token. It returns nil if there is none.
	Token(ctx context.Context, name string) ([]byte, error)
	// LockToken returns the token like Token, and locks it until a time. It returns ErrRenewing while another process
	// holds the lock.
	LockToken(ctx context.Context, name string, now, until time.Time) ([]byte, error)
	// SaveToken replaces the token before with after, and unlocks it. It returns ErrRenewing if the stored token is no
	// longer before.
	SaveToken(ctx context.Context, name string, before, after []byte) error
	// UnlockToken releases a lock that was taken until a given time.
	UnlockToken(ctx context.Context, name string, until time.Time) error
}

// SharedTokens is a TokenStore shared by all processes on one TokenRepository. A copy of the repository alone does not
// reveal the tokens.
//
// If a process dies after the authority has answered a renewal and before the result is saved, the next refresh token
// is lost. The saved access token is then valid for another ten days. During that time the failing renewals are
// reported, and a person can sign in again.
type SharedTokens struct {
	repository TokenRepository
	sealer     account.Sealer
	first      string // refresh token
	name       string
}

const (
	// lockTime is the maximum duration of a renewal: longer than the call and saving its result.
	lockTime = 3 * time.Minute
	// saveTime bounds the saving of a token.
	saveTime = 10 * time.Second
)

// NewSharedTokens returns the token store over a repository, encrypted with the deployment's secret. It starts with the
// refresh token that the operator configured. To replace a lost token, configure a different one; the store then starts
// over.
func NewSharedTokens(repository TokenRepository, secret []byte, refreshToken string) *SharedTokens {
	sum := sha256.Sum256([]byte(refreshToken))
	return &SharedTokens{
		repository: repository, sealer: account.NewSealer(secret, "rodata e-Factura token"),
		first: refreshToken, name: hex.EncodeToString(sum[:]),
	}
}

// Token implements TokenStore.
func (s *SharedTokens) Token(ctx context.Context) (Token, error) {
	content, err := s.repository.Token(ctx, s.name)
	if err != nil {
		return Token{}, fmt.Errorf("reading the e-Factura token: %w", err)
	}
	return s.open(content)
}

// Renew implements TokenStore.
func (s *SharedTokens) Renew(ctx context.Context, stale string,
	exchange func(context.Context, Token) (Token, error)) (Token, error) {
	now := time.Now()
	until := now.Add(lockTime)
	stored, err := s.repository.LockToken(ctx, s.name, now, until)
	if err != nil {
		return Token{}, fmt.Errorf("renewing the e-Factura token: %w", err)
	}

	next, err := s.open(stored)
	isStale := err == nil && next.Access == stale
	if isStale {
		next, err = exchange(ctx, next)
	}

	// The new token is saved even if the call has been canceled: a refresh token works only once.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	if err != nil || !isStale {
		_ = s.repository.UnlockToken(ctx, s.name, until) // otherwise the lock expires
		return next, err
	}

	sealed, err := s.sealer.SealJSON(s.name, next)
	if err == nil {
		err = s.repository.SaveToken(ctx, s.name, stored, sealed)
	}
	if err != nil {
		return Token{}, fmt.Errorf("saving the new e-Factura token: %w", err)
	}

	return next, nil
}

func (s *SharedTokens) open(content []byte) (t Token, err error) {
	if len(content) == 0 {
		return Token{Refresh: s.first}, nil
	}
	if err := s.sealer.OpenJSON(s.name, content, &t); err != nil {
		return Token{}, fmt.Errorf("reading the e-Factura token: %w; or configure a new one to begin anew", err)
	}

	return t, nil
}

var _ TokenStore = (*SharedTokens)(nil)
