package auth

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/web"
)

// Links in mails lead to a page whose button confirms the action. Opening the page changes nothing, because malware
// scanners open links too.

// confirmation is an action that a link in a mail leads to.
type confirmation struct {
	purpose string // the token in the link
	// repeatable means that the page also opens for a used or expired link, which view then judges: people click twice
	// to verify an address.
	repeatable bool
	// view describes the action, or rejects the link without redeeming it.
	view func(x *exchange, v account.Verification) (pageView, error)
	// do performs the action and sends the response.
	do func(x *exchange, f confirmForm) error
}

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
		"email":    {forEmail, true, a.viewEmail, a.confirmEmail},
		"change":   {forChange, false, a.viewChange, a.confirmChange},
		"sign-in":  {forMagic, false, a.viewMagicLink, a.confirmMagicLink},
		"deletion": {forDeletion, false, a.viewDeletion, a.confirmDeletionLink},
	}
}

func (a *Auth) confirmPage(x *exchange) error {
	c, known := a.confirmations()[x.r.PathValue("action")]
	if !known {
		return errNoRoute
	}

	hidden := map[string]string{"token": x.r.URL.Query().Get("token")}
	for _, name := range sortedKeys(targets) {
		target, err := x.target(name, "")
		if err != nil {
			return err
		}
		if target != "" {
			hidden[name] = target
		}
	}

	token, err := a.lookUp(x.r.Context(), c.purpose, hidden["token"])
	if err == nil && !c.repeatable {
		err = checkUsable(token)
	}

	var v pageView
	if err == nil {
		v, err = c.view(x, token)
	}
	if p, ok := refused(err); ok {
		return x.showFailure(p.Status(), p.Code, orRoot(hidden["callbackURL"]))
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
		v.Action, v.Hidden = Path+"/confirm/"+x.r.PathValue("action"), hidden
	}

	return x.show(http.StatusOK, v, origins(hidden))
}

// origins lists the origins to which the form may redirect, for the page's Content-Security-Policy.
func origins(hidden map[string]string) string {
	found := make(map[string]bool)
	for name := range targets {
		if origin := web.Origin(hidden[name]); origin != "" {
			found[origin] = true
		}
	}

	return strings.Join(slices.Sorted(maps.Keys(found)), " ")
}

func (a *Auth) acceptConfirmation(x *exchange) error {
	c, known := a.confirmations()[x.r.PathValue("action")]
	if !known {
		return errNoRoute
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
	if p, ok := refused(err); ok {
		return x.showFailure(p.Status(), p.Code, orRoot(f.urls.Callback))
	}

	return err
}

func checkUsable(v account.Verification) error {
	switch {
	case v.Used:
		return errInvalidToken
	case isExpired(v):
		return errExpiredToken
	}

	return nil
}
