package auth

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"

	"github.com/rodata/rodata/account"
)

// journey is what is kept while somebody is at a provider.
type journey struct {
	Callback string `json:"callback"`
	Failed   string `json:"failed,omitempty"`
	Welcome  string `json:"welcome,omitempty"`
}

// signInSocial sends a browser to a provider.
func (a *Auth) signInSocial(x *exchange) error {
	var name string
	var way journey
	stay := false
	if err := x.read(members{
		"provider": text(&name), "callbackURL": maybeText(&way.Callback), "errorCallbackURL": maybeText(&way.Failed),
		"newUserCallbackURL": maybeText(&way.Welcome), "disableRedirect": truth(&stay),
	}); err != nil {
		return err
	}
	provider := a.provider(name)
	if provider == nil {
		return &refusal{status: http.StatusNotFound, code: "PROVIDER_NOT_FOUND", message: "Provider not found"}
	}
	value, err := json.Marshal(way)
	if err != nil {
		return err
	}
	state, err := a.issue(x.r.Context(), forState, provider.Name(), string(value), account.Bound{})
	if err != nil {
		return err
	}
	x.setCookie(stateCookie, state, stateCookieAge)
	address := provider.authorizeURL(a.trip(x, provider, state))
	if !stay {
		x.w.Header().Set("Location", address)
	}
	return x.answer(map[string]any{"url": address, "redirect": !stay})
}

func (a *Auth) provider(name string) Provider {
	for _, p := range a.Providers {
		if p.Name() == name {
			return p
		}
	}
	return nil
}

// trip belongs to a state: what must stay between the provider and us is derived
// from it, and kept nowhere.
func (a *Auth) trip(x *exchange, p Provider, state string) trip {
	return trip{
		state: state, verifier: a.derive(forVerifier, state), nonce: a.derive(forNonce, state),
		redirect: x.base + Path + "/callback/" + p.Name(),
	}
}

// callback is where a provider sends people back to. They must come in the browser
// that went there, and once.
func (a *Auth) callback(x *exchange) error {
	query := x.r.URL.Query()
	state := query.Get("state")
	provider := a.provider(x.segment)
	switch {
	case provider == nil:
		return x.redirectError("", "oauth_provider_not_found")
	case state == "":
		return x.redirectError("", "state_not_found")
	case state != x.cookie(stateCookie):
		return x.redirectError("", "state_mismatch")
	}
	x.clearCookie(stateCookie)
	ctx := x.r.Context()
	v, err := a.use(ctx, forState, state)
	if errors.Is(err, errInvalidToken) || err == nil && v.Subject != provider.Name() {
		return x.redirectError("", "state_mismatch")
	}
	var way journey
	if err == nil {
		err = json.Unmarshal([]byte(v.Value), &way)
	}
	if err != nil {
		return err
	}
	code := query.Get("code")
	if failure := query.Get("error"); failure != "" {
		return x.redirectError(way.Failed, failure)
	}
	if code == "" {
		return x.redirectError(way.Failed, "no_code")
	}
	who, err := provider.identify(ctx, a.trip(x, provider, state), code)
	if err != nil {
		a.Logger.WarnContext(ctx, "signing in by way of a provider", "provider", provider.Name(), "error", err)
		return x.redirectError(way.Failed, "invalid_code")
	}
	return a.welcome(x, provider.Name(), who, way)
}

// welcome signs in whom a provider vouches for.
func (a *Auth) welcome(x *exchange, provider string, who identity, way journey) error {
	u, isNew, err := a.known(x, provider, who)
	f := (*refusal)(nil)
	if errors.As(err, &f) {
		return x.redirectError(way.Failed, f.code)
	}
	if err != nil {
		return err
	}
	if _, err := x.startSession(u, false); err != nil {
		return err
	}
	if isNew && way.Welcome != "" {
		return x.redirect(way.Welcome)
	}
	return x.redirect(orRoot(way.Callback))
}

// known is the user whom a provider vouches for: whoever came from there before;
// or else whoever has the address, which the provider must know to be theirs; or
// else somebody new.
func (a *Auth) known(x *exchange, provider string, who identity) (u account.User, isNew bool, err error) {
	ctx := x.r.Context()
	u, err = a.Store.UserByLogin(ctx, provider, who.subject)
	if !errors.Is(err, account.ErrNoUser) {
		return u, false, err
	}
	email, ok := readEmail(who.email)
	switch {
	case !ok:
		return u, false, &refusal{code: "email_not_found"}
	case !who.verified: // the same whether or not somebody has the address
		return u, false, &refusal{code: "email_not_verified"}
	}
	u, _, err = a.Store.UserByEmail(ctx, email)
	switch {
	case errors.Is(err, account.ErrNoUser) && a.SignUpClosed:
		return u, false, &refusal{code: "signup_disabled"}
	case errors.Is(err, account.ErrNoUser):
		u, err = a.newcomer(x, provider, who, email)
		return u, true, err
	case err != nil:
		return u, false, err
	}
	if err := a.prove(ctx, &u); err != nil {
		return u, false, err
	}
	return u, false, a.Store.AddLogin(ctx, newLogin(u, provider, who.subject))
}

func (a *Auth) newcomer(x *exchange, provider string, who identity, email string) (account.User, error) {
	if err := a.admitNewcomer(x); err != nil {
		return account.User{}, err
	}
	u, err := newUser(nameFor(email, who.name), email, nil)
	if err != nil {
		return u, err
	}
	u.EmailVerified = true
	if picture := u; describe(&picture, nil, &who.image) == nil { // if it can be shown
		u = picture
	}
	return u, a.Store.CreateUser(x.r.Context(), u, a.DefaultPlan, newLogin(u, provider, who.subject))
}

// errorCode is what may be repeated of what somebody calls an error.
var errorCode = regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)

// redirectError sends a browser to the page for errors, which is ours unless the
// client named one.
func (x *exchange) redirectError(page, code string) error {
	if !errorCode.MatchString(code) {
		code = "unknown"
	}
	if page == "" {
		page = x.base + Path + "/error"
	}
	return x.redirect(page, "error", code)
}
