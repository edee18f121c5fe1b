package oauth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/url"
	"regexp"
	"time"

	"github.com/rodata/rodata/account"
)

// errInvalidGrant does not reveal the reason: unknown, used, expired, or another client's.
var errInvalidGrant = bad("invalid_grant",
	"the code or token is unknown, used, expired, or another client's; ask the person again")

func (s *Server) token(x *exchange) error {
	form, client, err := s.client(x)
	if err != nil {
		return err
	}
	if err := checkResource(form, s.Resource); err != nil {
		return err
	}

	var g account.Grant
	var old account.Token
	switch form.Get("grant_type") {
	case "authorization_code":
		if g, old, err = s.grantOf(x.r.Context(), account.CodeToken, form.Get("code"), client); err == nil {
			err = checkProof(g, form)
		}
	case "refresh_token":
		if g, old, err = s.grantOf(x.r.Context(), account.RefreshToken, form.Get("refresh_token"), client); err == nil {
			_, err = requestedScope(form, g.Scope, g.Scope)
		}
	default:
		err = bad("unsupported_grant_type", "grant_type must be authorization_code or refresh_token")
	}

	if err != nil {
		return err
	}

	return s.issue(x, g, old)
}

// client returns a form, and the id of the public client that sent it. Some clients send the id in the Authorization
// header, which is intended for confidential clients.
func (s *Server) client(x *exchange) (form url.Values, id string, err error) {
	if form, err = x.form(); err != nil {
		return nil, "", err
	}

	id = form.Get("client_id")
	if name, secret, ok := x.r.BasicAuth(); ok {
		named, err := url.QueryUnescape(name)
		if err != nil || secret != "" || id != "" && id != named {
			return nil, "", unknownClient()
		}

		id = named
	} else if x.r.Header.Get("Authorization") != "" {
		return nil, "", unknownClient()
	}

	switch {
	case id == "":
		err = bad("invalid_request", "client_id is missing")
	case !hasDocument(id): // a document was checked at authorization
		_, err = s.app(x.r.Context(), id)
	}

	return form, id, err
}

// grantOf finds the grant of a client's token. Reuse of an exchanged token ends the grant (replay detection): one of
// its two holders stole it (OAuth 2.1, sections 4.1.3 and 4.3.1). A refresh token has a leeway for parallel renewals.
func (s *Server) grantOf(ctx context.Context, kind account.TokenKind, token,
	client string) (account.Grant, account.Token, error) {
	prefix := map[account.TokenKind]string{account.CodeToken: codePrefix, account.RefreshToken: refreshPrefix}[kind]
	if !account.IsWellFormed(prefix, token) {
		return account.Grant{}, account.Token{}, errInvalidGrant
	}

	g, t, err := s.Store.GrantByToken(ctx, kind, s.Tokens.Hash(token))
	switch {
	case errors.Is(err, account.ErrNoGrant):
		err = errInvalidGrant
	case err != nil:
	case !t.IsExchangeable(time.Now()):
		s.Logger.WarnContext(ctx, "a token was used twice; its grant is revoked", "grant_id", g.ID, "account_id",
			g.Account, "kind", kind)
		if err = s.Store.EndGrant(ctx, g.Account, g.ID); err == nil || errors.Is(err, account.ErrNoGrant) {
			err = errInvalidGrant
		}
	case g.App != client, g.Resource != s.Resource, !time.Now().Before(t.ExpiresAt), !time.Now().Before(s.end(g)):
		err = errInvalidGrant
	}

	return g, t, err
}

// verifierShape is the form of a code_verifier (RFC 7636, section 4.1).
var verifierShape = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

func checkProof(g account.Grant, form url.Values) error {
	verifier := form.Get("code_verifier")
	if !verifierShape.MatchString(verifier) {
		return bad("invalid_grant", "PKCE is required: the code_verifier is missing, or does not have 43 to 128 of "+
			"the permitted characters")
	}

	sum := sha256.Sum256([]byte(verifier))
	proof := base64.RawURLEncoding.EncodeToString(sum[:])
	redirect := form.Get("redirect_uri") // optional in OAuth 2.1
	if subtle.ConstantTimeCompare([]byte(proof), []byte(g.Challenge)) != 1 || redirect != "" && redirect != g.Redirect {
		return errInvalidGrant
	}

	return nil
}

// end returns the time at which a grant ends, however it is used.
func (s *Server) end(g account.Grant) time.Time { return g.CreatedAt.Add(s.GrantAge) }

func (s *Server) issue(x *exchange, g account.Grant, old account.Token) error {
	now := time.Now()
	left := s.end(g).Sub(now)
	age := min(accessAge, left)
	access, refresh := account.NewSecret(accessPrefix), account.NewSecret(refreshPrefix)
	err := s.Store.ExchangeToken(x.r.Context(), g, old,
		account.Token{Kind: account.AccessToken, Hash: s.Tokens.Hash(access), ExpiresAt: now.Add(age)},
		account.Token{Kind: account.RefreshToken, Hash: s.Tokens.Hash(refresh),
			ExpiresAt: now.Add(min(refreshAge, left))})
	if errors.Is(err, account.ErrNoGrant) {
		return errInvalidGrant
	}
	if err != nil {
		return err
	}

	return x.answer(struct {
		AccessToken  string        `json:"access_token"`
		TokenType    string        `json:"token_type"`
		ExpiresIn    int           `json:"expires_in"`
		RefreshToken string        `json:"refresh_token"`
		Scope        account.Scope `json:"scope"`
	}{access, "Bearer", int(age / time.Second), refresh, g.Scope})
}

// revoke ends the grant of a token of any kind (RFC 7009). Revoking an unknown token succeeds.
func (s *Server) revoke(x *exchange) error {
	form, client, err := s.client(x)
	if err != nil {
		return err
	}

	token := form.Get("token")
	if token == "" {
		return bad("invalid_request", "token is missing")
	}

	ctx := x.r.Context()
	for _, kind := range []account.TokenKind{account.AccessToken, account.RefreshToken} {
		g, _, err := s.Store.GrantByToken(ctx, kind, s.Tokens.Hash(token))
		if errors.Is(err, account.ErrNoGrant) {
			continue
		}
		if err != nil {
			return err
		}
		if g.App != client {
			return errInvalidGrant
		}
		if err := s.Store.EndGrant(ctx, g.Account, g.ID); err != nil && !errors.Is(err, account.ErrNoGrant) {
			return err
		}
	}

	return x.answer(struct{}{})
}
