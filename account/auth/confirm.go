package auth

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/rodata/rodata/account"
)

// Links in mails lead to a page whose button confirms what the mail is about. Opening
// the page changes nothing, since programs that look for malware open links, too.

// confirmation is something that a link in a mail lets people confirm.
type confirmation struct {
	purpose string // of the token in the link
	// view describes what is confirmed, or refuses a link that has no effect.
	view func(x *exchange, v account.Verification) (pageView, error)
	// do confirms it and answers.
	do func(x *exchange, f confirmForm) error
}

// confirmForm is what the page sends.
type confirmForm struct {
	token string
	// forget is true when the password that was set before must end.
	forget bool
	way    journey
}

// confirmations are what can be confirmed, by the last part of the page's address.
func (a *Auth) confirmations() map[string]confirmation {
	return map[string]confirmation{
		"email":    {forEmail, a.viewEmail, a.confirmEmail},
		"change":   {forChange, a.viewChange, a.confirmChange},
		"sign-in":  {forMagic, a.viewMagicLink, a.confirmMagicLink},
		"deletion": {forDeletion, a.viewDeletion, a.confirmDeletionLink},
	}
}

var errNoConfirmation = &refusal{status: http.StatusNotFound, code: "NOT_FOUND", message: "Not found", detail: "there is nothing at this address"}

// confirmLink is the address of the page for a mail. Parameters are names and values,
// of which empty ones are left out.
func (x *exchange) confirmLink(what, token string, parameters ...string) string {
	all := []string{"token", token}
	for i := 0; i < len(parameters); i += 2 {
		if parameters[i+1] != "" {
			all = append(all, parameters[i:i+2]...)
		}
	}
	return x.link("/confirm/"+what, all...)
}

// confirmPage is where links in mails lead.
func (a *Auth) confirmPage(x *exchange) error {
	c, known := a.confirmations()[x.segment]
	if !known {
		return errNoConfirmation
	}
	hidden := map[string]string{"token": x.r.URL.Query().Get("token")}
	for name := range targets {
		target, err := x.target(name, "")
		if err != nil {
			return err
		}
		if target != "" {
			hidden[name] = target
		}
	}
	token, err := a.look(x.r.Context(), c.purpose, hidden["token"])
	var v pageView
	if err == nil {
		v, err = c.view(x, token)
	}
	if f := (*refusal)(nil); errors.As(err, &f) {
		return x.showFailure(f.status, f.code, orRoot(hidden["callbackURL"]))
	}
	if err != nil {
		return err
	}
	if len(v.Buttons) > 0 {
		v.Action, v.Hidden = Path+"/confirm/"+x.segment, hidden
	}
	return x.show(http.StatusOK, v, origins(hidden))
}

// origins are those of the addresses to which a browser may be redirected: browsers
// ask the page's policy about them, too.
func origins(hidden map[string]string) string {
	found := make(map[string]bool)
	for name := range targets {
		if origin := originOf(hidden[name]); origin != "" {
			found[origin] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), " ")
}

// acceptConfirmation does what the page's button says.
func (a *Auth) acceptConfirmation(x *exchange) error {
	c, known := a.confirmations()[x.segment]
	if !known {
		return errNoConfirmation
	}
	var f confirmForm
	var target string
	if err := x.read(members{
		"token": text(&f.token), "forgetPassword": truth(&f.forget), "callbackURL": maybeText(&f.way.Callback),
		"errorCallbackURL": maybeText(&f.way.Failed), "newUserCallbackURL": maybeText(&f.way.Welcome), "redirectTo": maybeText(&target),
	}); err != nil {
		return err
	}
	err := c.do(x, f)
	if refused := (*refusal)(nil); errors.As(err, &refused) {
		return x.showFailure(refused.status, refused.code, orRoot(f.way.Callback))
	}
	return err
}

// viewEmail describes what becomes of an account when its address is verified.
func (a *Auth) viewEmail(x *exchange, v account.Verification) (pageView, error) {
	u, err := a.verifiable(x.r.Context(), v)
	if err != nil {
		return pageView{}, err
	}
	view := pageView{Heading: "email.heading", Subject: v.Value, Texts: []string{"email.text"}, Buttons: []pageButton{{Label: "email.confirm"}}}
	if v.Used {
		view.Texts, view.Buttons = []string{"email.done"}, nil
		view.Onward, err = x.target("callbackURL", "/")
		return view, err
	}
	if u.Email != v.Value {
		view.Texts, view.Other = []string{"email.change"}, u.Email
	}
	keep, err := a.keeps(x, u, v.Value)
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
	return x.redirect(orRoot(f.way.Callback))
}

func (a *Auth) viewMagicLink(x *exchange, v account.Verification) (pageView, error) {
	if err := usable(v); err != nil {
		return pageView{}, err
	}
	view := pageView{Heading: "sign-in.heading", Subject: v.Subject, Texts: []string{"sign-in.text"}, Buttons: []pageButton{{Label: "sign-in.confirm"}}}
	u, _, err := a.Store.UserByEmail(x.r.Context(), v.Subject)
	if errors.Is(err, account.ErrNoUser) {
		return view, nil
	}
	if err == nil && !u.EmailVerified {
		view.Texts = append(view.Texts, "sign-in.ends")
	}
	return view, err
}

func (a *Auth) confirmMagicLink(x *exchange, f confirmForm) error {
	_, _, isNew, err := a.signInByLink(x, f.token)
	refused := (*refusal)(nil)
	switch {
	case errors.As(err, &refused) && f.way.Failed != "":
		return x.redirect(f.way.Failed, "error", refused.code)
	case err != nil:
		return err
	case isNew && f.way.Welcome != "":
		return x.redirect(f.way.Welcome)
	}
	return x.redirect(orRoot(f.way.Callback))
}

// viewDeletion asks the user once more, in the browser in which they are signed in.
func (a *Auth) viewDeletion(x *exchange, v account.Verification) (pageView, error) {
	if err := usable(v); err != nil {
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
	view.Subject, view.Texts, view.Buttons = u.Email, []string{"deletion.text"}, []pageButton{{Label: "deletion.confirm"}}
	return view, nil
}

func (a *Auth) confirmDeletionLink(x *exchange, f confirmForm) error {
	if err := a.deleteByLink(x, f.token); err != nil {
		return err
	}
	return x.redirect(orRoot(f.way.Callback))
}

// verifiable is the user whose address a token verifies. A token that was used is
// accepted as long as what it did is still so: people click twice.
func (a *Auth) verifiable(ctx context.Context, v account.Verification) (account.User, error) {
	if expired(v) {
		return account.User{}, errExpiredToken
	}
	u, err := a.Store.User(ctx, v.Subject)
	if errors.Is(err, account.ErrNoUser) || err == nil && v.Used && (u.Email != v.Value || !u.EmailVerified) {
		err = errInvalidToken
	}
	return u, err
}

// usable refuses a token that has no effect any more.
func usable(v account.Verification) error {
	switch {
	case v.Used:
		return errInvalidToken
	case expired(v):
		return errExpiredToken
	}
	return nil
}
