package auth

import (
	"context"
	"errors"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/password"
)

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

	if err := a.tasks.start(x.r.Context(), "signing up", func(ctx context.Context) error {
		err := a.Store.CreateUser(ctx, u, a.DefaultPlan, credential(u, hash))
		if errors.Is(err, account.ErrEmailTaken) {
			return errors.Join(a.keepSignUpAttempt(ctx, u.Email, hash, owner), a.notifyOwner(ctx, x, u.Email))
		}
		if err != nil {
			return err
		}

		return a.sendVerification(ctx, x, u, callback)
	}); err != nil {
		return err
	}

	return x.answer(signInAnswer{User: viewUser(u)})
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
