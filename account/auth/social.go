package auth

import (
	"encoding/json"
	"errors"
	"regexp"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/provider"
	"github.com/rodata/rodata/op/problem"
)

// returnURLs are the client's addresses to redirect to: after success, after a failure, and for a new user.
type returnURLs struct {
	Callback string `json:"callback"`
	Failed   string `json:"failed,omitempty"`
	Welcome  string `json:"welcome,omitempty"`
}

// intent is the request that sent a browser to a provider.
type intent struct {
	returnURLs
	// Consent is the version of the texts that a new user accepts. It is empty if the client did not ask for consent.
	Consent string `json:"consent,omitempty"`
}

func (a *Auth) signInSocial(x *exchange) error {
	var name string
	var request intent
	stay := false
	if err := x.read(members{
		"provider": text(&name), "callbackURL": optionalText(&request.Callback),
		"errorCallbackURL":   optionalText(&request.Failed),
		"newUserCallbackURL": optionalText(&request.Welcome), "disableRedirect": boolean(&stay),
		"consent": optionalText(&request.Consent),
	}); err != nil {
		return err
	}

	if err := checkConsent(request.Consent); err != nil {
		return err
	}

	provider := a.provider(name)
	if provider == nil {
		return failure(problem.NotFound, "PROVIDER_NOT_FOUND", "Provider not found", "")
	}

	value, err := json.Marshal(request)
	if err != nil {
		return err
	}

	state, err := a.issue(x.r.Context(), forState, provider.Name, string(value), account.Bound{})
	if err != nil {
		return err
	}

	x.setCookie(stateCookie, state, stateCookieAge)
	address := provider.AuthorizeURL(a.authRequest(x, provider, state))
	if !stay {
		x.w.Header().Set("Location", address)
	}

	return x.answer(map[string]any{"url": address, "redirect": !stay}, nil)
}

func (a *Auth) provider(name string) *provider.Provider {
	for _, p := range a.Providers {
		if p.Name == name {
			return p
		}
	}

	return nil
}

// authRequest returns the parameters of the authorization request with a state. The PKCE verifier and the nonce are
// derived from the state, and stored nowhere.
func (a *Auth) authRequest(x *exchange, p *provider.Provider, state string) provider.Request {
	return provider.Request{
		State: state, Verifier: a.derive(forVerifier, state), Nonce: a.derive(forNonce, state),
		Redirect: x.base + Path + "/callback/" + p.Name,
	}
}

// callback handles the redirect from a provider. A state is valid once, and only in the browser to which it was issued.
func (a *Auth) callback(x *exchange) error {
	query := x.r.URL.Query()
	state := query.Get("state")
	provider := a.provider(x.r.PathValue("provider"))
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
	v, err := a.redeem(ctx, forState, state)
	if errors.Is(err, errInvalidToken) || err == nil && v.Subject != provider.Name {
		return x.redirectError("", "state_mismatch")
	}

	var request intent
	if err == nil {
		err = json.Unmarshal([]byte(v.Value), &request)
	}
	if err != nil {
		return err
	}

	code := query.Get("code")
	if failure := query.Get("error"); failure != "" {
		return x.redirectError(request.Failed, failure)
	}
	if code == "" {
		return x.redirectError(request.Failed, "no_code")
	}

	who, err := provider.Identify(ctx, a.authRequest(x, provider, state), code)
	if err != nil {
		a.Logger.WarnContext(ctx, "sign-in with a provider failed", "provider", provider.Name, "error", err)
		return x.redirectError(request.Failed, "invalid_code")
	}

	return a.signInProviderUser(x, provider.Name, who, request)
}

func (a *Auth) signInProviderUser(x *exchange, name string, who provider.Identity, request intent) error {
	u, isNew, err := a.providerUser(x, name, who, request.Consent)
	if f, ok := refused(err); ok {
		return x.redirectError(request.Failed, f.Code)
	}
	if err != nil {
		return err
	}
	if _, err := x.startSession(u, false); err != nil {
		return err
	}
	if isNew && request.Welcome != "" {
		return x.redirect(request.Welcome)
	}

	return x.redirect(orRoot(request.Callback))
}

// providerUser finds or creates the user of a provider's identity: by an earlier login with the identity, or by the
// address, if the provider has verified it. A new user accepts the texts of the version in consent.
func (a *Auth) providerUser(x *exchange, name string, who provider.Identity,
	consent string) (u account.User, isNew bool, err error) {
	ctx := x.r.Context()
	u, err = a.Store.UserByLogin(ctx, name, who.Subject)
	if !errors.Is(err, account.ErrNoUser) {
		return u, false, err
	}

	email, ok := readEmail(who.Email)
	switch {
	case !ok:
		return u, false, forbidden("email_not_found", "", "")
	case !who.IsVerified: // whether or not the address is taken
		return u, false, forbidden("email_not_verified", "", "")
	}

	u, _, err = a.Store.UserByEmail(ctx, email)
	switch {
	case errors.Is(err, account.ErrNoUser) && a.SignUpClosed:
		return u, false, forbidden("signup_disabled", "", "")
	case errors.Is(err, account.ErrNoUser):
		u, err = a.createProviderUser(x, name, who, email, consent)
		return u, true, err
	case err != nil:
		return u, false, err
	}

	if err := a.prove(ctx, &u); err != nil {
		return u, false, err
	}

	return u, false, a.Store.AddLogin(ctx, newLogin(u, name, who.Subject))
}

func (a *Auth) createProviderUser(x *exchange, name string, who provider.Identity, email,
	consent string) (account.User, error) {
	if err := a.admitSignUp(x); err != nil {
		return account.User{}, err
	}

	u, err := newUser(nameFor(email, who.Name), email, nil)
	if err != nil {
		return u, err
	}

	u.EmailVerified = true
	recordConsent(&u, consent)
	if picture := u; setProfile(&picture, nil, &who.Image) == nil { // ignored if it is not acceptable
		u = picture
	}

	return u, a.Store.CreateUser(x.r.Context(), u, a.DefaultPlan, newLogin(u, name, who.Subject))
}

// errorCode is the form of an error code that may be repeated to the client.
var errorCode = regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)

// redirectError redirects to the client's error page, or to ours.
func (x *exchange) redirectError(page, code string) error {
	if !errorCode.MatchString(code) {
		code = "unknown"
	}
	if page == "" {
		page = x.base + Path + "/error"
	}
	return x.redirect(page, "error", code)
}
