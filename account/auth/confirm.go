package auth

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/weburl"
)

// Links in mails lead to a page whose button confirms the action. Opening the page
// changes nothing, because malware scanners open links too.

// confirmation is an action that a link in a mail leads to.
type confirmation struct {
	purpose string // the token in the link
	// view describes the action, or rejects the link without redeeming it.
	view func(x *exchange, v account.Verification) (pageView, error)
	// do performs the action and answers.
	do func(x *exchange, f confirmForm) error
}

// confirmForm is the form of the page.
type confirmForm struct {
	token string
	// forget removes the existing password.
	forget bool
	urls   returnURLs
	// consent is the version of the texts that a new user accepts, as the page said.
	consent string
}

// confirmations maps the last segment of the page's address to the action.
func (a *Auth) confirmations() map[string]confirmation {
	return map[string]confirmation{
		"email":    {forEmail, a.viewEmail, a.confirmEmail},
		"change":   {forChange, a.viewChange, a.confirmChange},
		"sign-in":  {forMagic, a.viewMagicLink, a.confirmMagicLink},
		"deletion": {forDeletion, a.viewDeletion, a.confirmDeletionLink},
	}
}

var errNoConfirmation = &failure{status: http.StatusNotFound, code: "NOT_FOUND", message: "Not found",
	detail: "there is nothing at this address"}

// confirmLink returns the address of the page for a mail. Parameters are pairs of names and values; pairs with an empty
// value are omitted.
func (x *exchange) confirmLink(what, token string, parameters ...string) string {
	all := []string{"token", token}
	for i := 0; i < len(parameters); i += 2 {
		if parameters[i+1] != "" {
			all = append(all, parameters[i:i+2]...)
		}
	}

	return x.link("/confirm/"+what, all...)
}

// confirmPage shows the page that a link in a mail leads to.
func (a *Auth) confirmPage(x *exchange) error {
	c, known := a.confirmations()[x.segment]
	if !known {
		return errNoConfirmation
	}

	hidden := map[string]string{"token": x.r.URL.Query().Get("token")}
	for _, name := range sorted(targets) {
		target, err := x.target(name, "")
		if err != nil {
			return err
		}
		if target != "" {
			hidden[name] = target
		}
	}

	token, err := a.lookUp(x.r.Context(), c.purpose, hidden["token"])
	var v pageView
	if err == nil {
		v, err = c.view(x, token)
	}
	if f, ok := errors.AsType[*failure](err); ok {
		return x.showFailure(f.status, f.code, orRoot(hidden["callbackURL"]))
	}
	if err != nil {
		return err
	}

	if version := x.r.URL.Query().Get("consent"); v.Consents && consentShape.MatchString(version) {
		hidden["consent"] = version
	} else {
		v.Consents = false
	}

	if len(v.Buttons) > 0 {
		v.Action, v.Hidden = Path+"/confirm/"+x.segment, hidden
	}

	return x.show(http.StatusOK, v, origins(hidden))
}

// origins lists the origins to which the form may redirect, for the page's Content-Security-Policy.
func origins(hidden map[string]string) string {
	found := make(map[string]bool)
	for name := range targets {
		if origin := weburl.Origin(hidden[name]); origin != "" {
			found[origin] = true
		}
	}

	return strings.Join(slices.Sorted(maps.Keys(found)), " ")
}

// acceptConfirmation performs the action of the page's button.
func (a *Auth) acceptConfirmation(x *exchange) error {
	c, known := a.confirmations()[x.segment]
	if !known {
		return errNoConfirmation
	}

	var f confirmForm
	var target string
	if err := x.read(members{
		"token": text(&f.token), "forgetPassword": boolean(&f.forget), "callbackURL": optionalText(&f.urls.Callback),
		"errorCallbackURL": optionalText(&f.urls.Failed), "newUserCallbackURL": optionalText(&f.urls.Welcome),
		"redirectTo": optionalText(&target), "consent": optionalText(&f.consent),
	}); err != nil {
		return err
	}

	if err := checkConsent(f.consent); err != nil {
		return err
	}

	err := c.do(x, f)
	if refused, ok := errors.AsType[*failure](err); ok {
		return x.showFailure(refused.status, refused.code, orRoot(f.urls.Callback))
	}

	return err
}

// viewEmail describes what verifying an address does to the account.
func (a *Auth) viewEmail(x *exchange, v account.Verification) (pageView, error) {
	u, err := a.verifiable(x.r.Context(), v)
	if err != nil {
		return pageView{}, err
	}

	view := pageView{Heading: "email.heading", Subject: v.Value, Texts: []string{"email.text"},
		Buttons: []pageButton{{Label: "email.confirm"}}}
	if v.Used {
		view.Texts, view.Buttons = []string{"email.done"}, nil
		view.Onward, err = x.target("callbackURL", "/")
		return view, err
	}

	if u.Email != v.Value {
		view.Texts, view.Other = []string{"email.change"}, u.Email
	}

	keep, err := a.keepOnVerification(x, u, v.Value)
	switch {
	case err != nil || u.EmailVerified:
		return view, err
	case keep == account.KeepPassword:
		view.Texts = append(view.Texts, "email.password")
		view.Buttons = []pageButton{{Label: "email.mine"}, {"email.forget", "forgetPassword", "true"}}
	case keep == account.KeepNothing:
		view.Texts = append(view.Texts, "email.ends")
	}

	return view, nil
}

func (a *Auth) confirmEmail(x *exchange, f confirmForm) error {
	if err := a.verify(x, f.token, f.forget); err != nil {
		return err
	}
	return x.redirect(orRoot(f.urls.Callback))
}

func (a *Auth) viewMagicLink(x *exchange, v account.Verification) (pageView, error) {
	if err := checkUsable(v); err != nil {
		return pageView{}, err
	}

	view := pageView{Heading: "sign-in.heading", Subject: v.Subject, Texts: []string{"sign-in.text"},
		Buttons: []pageButton{{Label: "sign-in.confirm"}}}
	u, _, err := a.Store.UserByEmail(x.r.Context(), v.Subject)
	if errors.Is(err, account.ErrNoUser) {
		view.Consents = true
		return view, nil
	}
	if err == nil && !u.EmailVerified {
		view.Texts = append(view.Texts, "sign-in.ends")
	}

	return view, err
}

func (a *Auth) confirmMagicLink(x *exchange, f confirmForm) error {
	_, _, isNew, err := a.signInByLink(x, f.token, f.consent)
	refused, ok := errors.AsType[*failure](err)
	switch {
	case ok && f.urls.Failed != "":
		return x.redirect(f.urls.Failed, "error", refused.code)
	case err != nil:
		return err
	case isNew && f.urls.Welcome != "":
		return x.redirect(f.urls.Welcome)
	}

	return x.redirect(orRoot(f.urls.Callback))
}

// viewDeletion asks the user to confirm the deletion, in a browser where they are signed in.
func (a *Auth) viewDeletion(x *exchange, v account.Verification) (pageView, error) {
	if err := checkUsable(v); err != nil {
		return pageView{}, err
	}

	view := pageView{Heading: "deletion.heading"}
	_, u, err := x.session()
	switch {
	case errors.Is(err, errUnauthorized):
		view.Texts, view.Onward = []string{"deletion.signIn"}, "/dashboard/sign-in"
		return view, nil
	case err != nil:
		return view, err
	case u.ID != v.Subject:
		return view, errInvalidToken
	}

	view.Subject, view.Texts, view.Buttons = u.Email, []string{"deletion.text"},
		[]pageButton{{Label: "deletion.confirm"}}
	return view, nil
}

func (a *Auth) confirmDeletionLink(x *exchange, f confirmForm) error {
	if err := a.deleteByLink(x, f.token); err != nil {
		return err
	}
	return x.redirect(orRoot(f.urls.Callback))
}

// verifiable returns the user whose address a token verifies. A used token is accepted
// while its effect lasts, because people click twice.
func (a *Auth) verifiable(ctx context.Context, v account.Verification) (account.User, error) {
	if expired(v) {
		return account.User{}, errExpiredToken
	}

	u, err := a.subject(ctx, v)
	if err == nil && v.Used && (u.Email != v.Value || !u.EmailVerified) {
		err = errInvalidToken
	}

	return u, err
}

// checkUsable refuses a used or expired token.
func checkUsable(v account.Verification) error {
	switch {
	case v.Used:
		return errInvalidToken
	case expired(v):
		return errExpiredToken
	}

	return nil
}
