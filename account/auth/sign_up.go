package auth

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/password"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op/problem"
)

// signUp creates a user with a password. Where addresses must be verified, neither the answer nor its duration reveals
// whether the address is taken: the work that differs is done in the background.
func (a *Auth) signUp(x *exchange) error {
	if a.SignUpClosed {
		return bad("EMAIL_PASSWORD_SIGN_UP_DISABLED",
			"Email and password sign up is not enabled", "only the operator of this service opens accounts; ask them")
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
	if err := checkNewPassword("password", password); err != nil {
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

	return a.signUpAtOnce(x, u, password, callback, !remember)
}

// signUpAtOnce creates the user and a session. The answer reveals whether the address is taken.
func (a *Auth) signUpAtOnce(x *exchange, u account.User, password, callback string, brief bool) error {
	hash, err := a.passwords.Hash(x.r.Context(), password, nil)
	if err != nil {
		return err
	}

	if err := a.Store.CreateUser(x.r.Context(), u, a.DefaultPlan, credential(u, hash)); err != nil {
		if errors.Is(err, account.ErrEmailTaken) {
			return failure(problem.EmailTaken, "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL",
				"User already exists. Use another email.", "")
		}
		return err
	}

	s, err := x.startSession(u, brief)
	if err != nil {
		return err
	}

	if a.Mailer != nil {
		// If too many tasks are running, the user can ask for the link again.
		_ = a.tasks.start(x.r.Context(), "mailing a verification link", func(ctx context.Context) error {
			return a.sendVerification(ctx, x, u, callback)
		})
	}

	return x.answer(signInAnswer{Token: &s.ID, User: viewUser(u)}, nil)
}

// dailySignUps limits the accounts opened from one network within a day (UTC), and dailySiteSignUps those from the IPv6
// site that it belongs to.
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

// signUpConcealed creates the user, or notifies the owner if the address is taken. The two cases look the same from
// outside: signing in with the password then asks the user to verify the address.
func (a *Auth) signUpConcealed(x *exchange, u account.User, password, callback string) error {
	owner, owners, err := a.Store.UserByEmail(x.r.Context(), u.Email)
	if err != nil && !errors.Is(err, account.ErrNoUser) {
		return err
	}

	hash, err := a.passwords.Hash(x.r.Context(), password, a.salt(u.Email, owners))
	if err != nil {
		return err
	}

	signUp := func(ctx context.Context) error {
		err := a.Store.CreateUser(ctx, u, a.DefaultPlan, credential(u, hash))
		if errors.Is(err, account.ErrEmailTaken) {
			return errors.Join(a.keepSignUpAttempt(ctx, u.Email, hash, owner), a.notifyOwner(ctx, x, u.Email))
		}
		if err != nil {
			return err
		}

		return a.sendVerification(ctx, x, u, callback)
	}
	return x.answer(signInAnswer{User: viewUser(u)}, a.tasks.start(x.r.Context(), "signing up", signUp))
}

// salt returns the salt of a user's hash. Without a hash, it returns the salt that all sign-up attempts with the
// address share.
func (a *Auth) salt(email, hash string) []byte {
	if salt := password.SaltOf(hash); salt != nil {
		return salt
	}

	return a.hash(forSalt, email)[:password.SaltLength]
}

// keepSignUpAttempt keeps the hash of a password from a sign-up with a taken address. It keeps as many hashes as links
// would be mailed for a free address. If the owner is unverified, the owner's own hash counts as the first.
func (a *Auth) keepSignUpAttempt(ctx context.Context, email, hash string, owner account.User) error {
	bound := account.Bound{Live: maxLinks, Counter: a.counter("tries of " + email)}
	if !owner.EmailVerified {
		bound.Live--
	}

	_, err := a.issue(ctx, forSignUpAttempt, email, hash, bound)
	return err
}

// signUpAttempts returns the hashes that keepSignUpAttempt has kept.
func (a *Auth) signUpAttempts(ctx context.Context, email string) ([]string, error) {
	if !a.RequireVerification {
		return nil, nil
	}
	return a.Store.VerificationValues(ctx, forSignUpAttempt, email)
}
