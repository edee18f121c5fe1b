package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/metering"
)

// Limits of a user's profile.
const (
	maxName  = 120  // characters
	maxImage = 2048 // bytes
	maxEmail = 254  // bytes: RFC 5321, section 4.5.3.1.3
)

// signUp creates a user with a password. Where addresses must be verified, neither the answer nor its time reveals
// whether the address is taken: the work that differs is done in the background.
func (a *Auth) signUp(x *exchange) error {
	if a.SignUpClosed {
		return &failure{status: http.StatusBadRequest, code: "EMAIL_PASSWORD_SIGN_UP_DISABLED",
			message: "Email and password sign up is not enabled",
			detail:  "only the operator of this service opens accounts; ask them"}
	}

	var name, email, password, callback, consent string
	var image *string
	remember := true
	if err := x.read(members{
		"name": text(&name), "email": text(&email), "password": text(&password), "image": nullable(&image),
		"callbackURL": optionalText(&callback), "rememberMe": boolean(&remember), "consent": optionalText(&consent),
	}); err != nil {
		return err
	}

	email, ok := readEmail(email)
	if !ok {
		return invalidEmail("email")
	}

	u, err := newUser(name, email, image)
	if err != nil {
		return err
	}
	if err := checkPassword("password", password); err != nil {
		return err
	}
	if err := checkConsent(consent); err != nil {
		return err
	}

	recordConsent(&u, consent)
	if err := a.admitSignUp(x); err != nil { // counts even if the address is taken
		return err
	}
	if a.RequireVerification {
		return a.signUpConcealed(x, u, password, callback)
	}

	hash, err := a.passwords.hash(x.r.Context(), password, newSalt())
	if err != nil {
		return err
	}

	if err := a.Store.CreateUser(x.r.Context(), u, a.DefaultPlan, credential(u, hash)); err != nil {
		if errors.Is(err, account.ErrEmailTaken) {
			return &failure{status: http.StatusUnprocessableEntity, code: "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL",
				message: "User already exists. Use another email."}
		}
		return err
	}

	s, err := x.startSession(u, !remember)
	if err != nil {
		return err
	}

	if a.Mailer != nil {
		if err := a.jobs.start(x.r.Context(), "asking to verify an address", func(ctx context.Context) error {
			return a.askToVerify(ctx, x, u, callback)
		}); err != nil {
			return err
		}
	}

	return x.answer(signedIn{Token: &s.ID, User: viewUser(u)})
}

// dailySignUps limits the accounts opened from one network within a day (UTC), and
// dailySiteSignUps those from the IPv6 site that it belongs to.
const (
	dailySignUps     = 100
	dailySiteSignUps = 400
)

// admitSignUp counts an account that is about to be opened.
func (a *Auth) admitSignUp(x *exchange) error {
	count := func(network netip.Prefix, daily int) error {
		return a.Store.CountToday(x.r.Context(), a.counter("sign-ups from "+network.String()), daily)
	}
	own := metering.BucketID{Network: x.network()}
	err := count(own.Network, dailySignUps)
	if site, ok := own.Site(); err == nil && ok {
		err = count(site.Network, dailySiteSignUps)
	}
	if errors.Is(err, account.ErrTooMany) {
		now := time.Now().UTC()
		return tooMany(now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now))
	}

	return err
}

// credential returns the login for a password.
func credential(u account.User, hash string) account.Login {
	l := newLogin(u, account.Credential, u.ID)
	l.Password = hash
	return l
}

func newLogin(u account.User, provider, subject string) account.Login {
	now := time.Now()
	return account.Login{ID: account.NewID(), User: u.ID, Provider: provider, Subject: subject, CreatedAt: now,
		UpdatedAt: now}
}

// newUser returns a user who has not been stored yet.
func newUser(name, email string, image *string) (account.User, error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	u := account.User{ID: account.NewID(), Account: account.NewID(), Email: email, CreatedAt: now, UpdatedAt: now}
	return u, setProfile(&u, &name, image)
}

// setProfile sets the name and image of a user where they are not nil.
func setProfile(u *account.User, name, image *string) error {
	if name != nil {
		u.Name = strings.TrimSpace(*name)
		if n := utf8.RuneCountInString(u.Name); n == 0 || n > maxName || strings.ContainsFunc(u.Name, isControl) {
			return invalid(problem.InputError{Parameter: "name", Code: problem.OutOfRange,
				Accepted: fmt.Sprintf("1 to %d characters", maxName)},
				"[body.name] Invalid input: expected 1 to %d characters", maxName)
		}
	}

	if image != nil {
		u.Image = *image
		if address, err := url.Parse(u.Image); u.Image != "" &&
			(err != nil || address.Scheme != "https" || address.Host == "" || len(u.Image) > maxImage) {
			return invalid(problem.InputError{Parameter: "image", Code: problem.InvalidFormat,
				Accepted: "an address that begins with https://"},
				"[body.image] Invalid input: expected an address that begins with https://")
		}
	}

	return nil
}

func isControl(r rune) bool { return r < ' ' || r >= 0x7f && r <= 0x9f }

// emailShape is better-auth's.
var emailShape = regexp.MustCompile(`^[a-z0-9_'+\-.]*[a-z0-9_+-]@([a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$`)

// readEmail returns an address in lower case; ok is false if it is malformed.
func readEmail(text string) (email string, ok bool) {
	email = strings.ToLower(text)
	return email, len(email) <= maxEmail && emailShape.MatchString(email) && email[0] != '.' &&
		!strings.Contains(email, "..")
}

// nameFor returns the name of a new user who was not asked for one: the provider's name, or else the local part of the
// address.
func nameFor(email, name string) string {
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if isControl(r) {
			return -1
		}
		return r
	}, name))
	if name == "" {
		name, _, _ = strings.Cut(email, "@")
	}
	if runes := []rune(name); len(runes) > maxName {
		name = string(runes[:maxName])
	}

	return name
}
