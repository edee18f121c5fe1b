package efactura

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Token is a pair of OAuth tokens of the tax authority: an access token that lasts about 90 days, and the refresh token
// for the next pair.
type Token struct {
	Access  string `json:"access"`
	Refresh string `json:"refresh"`
	// Expiry is the expiry time of Access. Renewal is the time to renew it: early enough that a person can sign in
	// again if renewals fail.
	Expiry  time.Time `json:"expiry"`
	Renewal time.Time `json:"renewal"`
}

// isUsable reports whether the access token is valid, and is not the refused token stale.
func (t Token) isUsable(stale string) bool {
	return t.Access != "" && t.Access != stale && time.Now().Before(t.Expiry)
}

// TokenStore stores the token. A refresh token works only once, and only a person with a qualified certificate can
// obtain the first one, so losing it is costly.
type TokenStore interface {
	// Token returns the last stored token. If there is none, it returns the operator's refresh token alone.
	Token(context.Context) (Token, error)
	// Renew replaces the stored token with the result of exchange, and returns it. Only one caller at a time calls
	// exchange; the others fail with ErrRenewing. If the stored access token is not stale, another caller was faster,
	// and Renew returns the stored token.
	Renew(ctx context.Context, stale string, exchange func(context.Context, Token) (Token, error)) (Token, error)
}

// ErrRenewing: another process is renewing the token.
var ErrRenewing = errors.New("another process is renewing the token")

type tokens struct {
	options Options
	http    *http.Client

	mu      sync.Mutex
	current Token
	// next is the token received in exchange for the refresh token in spent. It is kept here while it cannot be saved.
	next  Token
	spent string
	// again is the time of the next attempt to renew current after a failure.
	again time.Time

	trouble atomic.Pointer[error] // of the last renewal; nil after a success
}

// renewalShare is the remaining fraction of an access token's life at which it is renewed: a ninth, ten days of 90.
const renewalShare = 9

// renewPause is the wait after a failed renewal while the access token is still valid.
const renewPause = time.Hour

// access returns an access token other than the refused token stale. It returns a valid token even if renewing it
// fails.
func (t *tokens) access(ctx context.Context, stale string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.current.isUsable(stale) {
		kept, err := t.options.Tokens.Token(ctx)
		if err != nil {
			return "", signInFailure(err)
		}

		t.current, t.again = kept, time.Time{}
	}

	usable, now := t.current.isUsable(stale), time.Now()
	if usable && (now.Before(t.current.Renewal) || now.Before(t.again)) {
		return t.current.Access, nil
	}

	next, err := t.options.Tokens.Renew(ctx, t.current.Access, t.exchange)
	switch {
	case err == nil:
		t.current, t.next, t.spent, t.again = next, Token{}, "", time.Time{}
		t.trouble.Store(nil)
	case errors.Is(err, ErrRenewing): // the other process reports its own failures
	default:
		t.again = now.Add(renewPause)
		t.trouble.Store(&err)
	}

	if err != nil && !usable {
		return "", signInFailure(err)
	}

	return t.current.Access, nil
}

// signInFailure returns a failure that occurred before the service was called.
func signInFailure(err error) error {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	return &Failure{Kind: Unsent, Message: "the token", Err: err, request: "signing in"}
}

// SignIn ensures that there is an access token, and renews it when due. If renewing fails, it returns the reason, even
// while the current token is still valid.
func (c *Client) SignIn(ctx context.Context) error {
	_, err := c.tokens.access(ctx, "")
	return errors.Join(err, c.SignInTrouble())
}

// SignInTrouble returns the reason why the last renewal failed. It returns nil if it succeeded.
func (c *Client) SignInTrouble() error {
	if err := c.tokens.trouble.Load(); err != nil {
		return *err
	}
	return nil
}

// exchange obtains the next token. If an earlier one could not be stored, it returns that one again, because its
// refresh token has already been used.
func (t *tokens) exchange(ctx context.Context, kept Token) (Token, error) {
	if t.spent != "" && t.spent == kept.Refresh {
		return t.next, nil
	}

	next, err := t.refresh(ctx, kept)
	if err == nil {
		t.next, t.spent = next, kept.Refresh
	}

	return next, err
}

// refresh exchanges the refresh token (RFC 6749, section 6). All its failures are Unsent or Unauthorized.
func (t *tokens) refresh(ctx context.Context, kept Token) (Token, error) {
	fail := func(kind Kind, message string, err error) (Token, error) {
		return Token{}, &Failure{Kind: kind, Message: message, Err: err, request: "refreshing the token"}
	}
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {kept.Refresh}, "token_content_type": {"jwt"}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.options.TokenURL, strings.NewReader(form.Encode()))
	if err != nil {
		return fail(Unsent, "making the request", err)
	}

	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.SetBasicAuth(t.options.ClientID, t.options.ClientSecret)
	res, err := t.http.Do(req)
	if err != nil {
		return fail(Unsent, "no answer", err)
	}
	defer res.Body.Close()

	body, err := readAll(res.Body, maxAnswer)
	if err != nil {
		return fail(Unsent, "reading the answer", err)
	}

	var answer struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
		Expires int64  `json:"expires_in"` // seconds
		Error   string `json:"error"`
		Reason  string `json:"error_description"`
	}

	parsed := json.Unmarshal(body, &answer)
	switch {
	case parsed == nil && answer.Error != "":
		return fail(Unauthorized, strings.TrimSpace(answer.Error+" "+answer.Reason), nil)
	case res.StatusCode != http.StatusOK:
		return fail(Unsent, fmt.Sprintf("status %d", res.StatusCode), nil)
	case parsed != nil || answer.Access == "":
		return fail(Unsent, "the answer has no token", parsed)
	}

	life := time.Duration(answer.Expires) * time.Second
	return Token{
		Access: answer.Access, Expiry: time.Now().Add(life), Renewal: time.Now().Add(life - life/renewalShare),
		Refresh: cmp.Or(answer.Refresh, kept.Refresh), // without a new one, the old one remains valid
	}, nil
}
