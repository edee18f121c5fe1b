package efactura

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Token is what the tax authority's sign-in gives to a program: an access token
// that lasts about 90 days, and a refresh token for the next ones.
type Token struct {
	Access  string    `json:"access"`
	Refresh string    `json:"refresh"`
	Expiry  time.Time `json:"expiry"` // of Access
}

// TokenStore keeps the token. The refresh token changes as it is used, and the
// first one takes a person with a qualified certificate: losing it is costly.
type TokenStore interface {
	// Token is what was saved last, or else what the operator gave, with a refresh
	// token alone.
	Token(context.Context) (Token, error)
	// SaveToken keeps a token before it is used.
	SaveToken(context.Context, Token) error
}

// tokens hands out access tokens that are valid for a while still.
type tokens struct {
	options Options
	http    *http.Client

	mu      sync.Mutex
	current Token
	unsaved bool
}

// margin is how long before its expiry an access token is replaced.
const margin = time.Hour

// access is a token to call with, other than stale, which was refused.
func (t *tokens) access(ctx context.Context, stale string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current.Refresh == "" {
		var err error
		if t.current, err = t.options.Tokens.Token(ctx); err != nil {
			return "", &Failure{Kind: Unsent, Message: "reading the token", Err: err, asked: "signing in"}
		}
	}
	if t.current.Access == "" || t.current.Access == stale || time.Until(t.current.Expiry) < margin {
		next, err := t.refresh(ctx)
		if err != nil {
			return "", err
		}
		t.current, t.unsaved = next, true
	}
	if t.unsaved {
		if err := t.options.Tokens.SaveToken(ctx, t.current); err != nil {
			return "", &Failure{Kind: Unsent, Message: "keeping the new token", Err: err, asked: "signing in"}
		}
		t.unsaved = false
	}
	return t.current.Access, nil
}

// refresh exchanges the refresh token (RFC 6749 section 6). Its failures are of
// calls that were not sent yet.
func (t *tokens) refresh(ctx context.Context) (Token, error) {
	fail := func(kind Kind, message string, err error) (Token, error) {
		return Token{}, &Failure{Kind: kind, Message: message, Err: err, asked: "refreshing the token"}
	}
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {t.current.Refresh}, "token_content_type": {"jwt"}}
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
		return fail(Unsent, "the answer has no token", errors.Join(parsed))
	}
	next := Token{Access: answer.Access, Refresh: answer.Refresh, Expiry: time.Now().Add(time.Duration(answer.Expires) * time.Second)}
	if next.Refresh == "" { // then the old one stays in force
		next.Refresh = t.current.Refresh
	}
	return next, nil
}
