package auth

import (
	"context"
	"errors"

	"github.com/rodata/rodata/account"
)

// signUpUnseen makes the user, or tells who has the address that somebody tried to.
// Nothing that follows tells which: whoever signs in with the password is asked to
// verify the address in either case.
func (a *Auth) signUpUnseen(x *exchange, u account.User, password, callback string) error {
	owner, owners, err := a.Store.UserByEmail(x.r.Context(), u.Email)
	if err != nil && !errors.Is(err, account.ErrNoUser) {
		return err
	}
	hash, err := a.passwords.hash(x.r.Context(), password, a.salt(u.Email, owners))
	if err != nil {
		return err
	}
	if err := a.jobs.start(x.r.Context(), "signing up", func(ctx context.Context) error {
		err := a.Store.CreateUser(ctx, u, a.DefaultPlan, credential(u, hash))
		if errors.Is(err, account.ErrEmailTaken) {
			return errors.Join(a.noteTry(ctx, u.Email, hash, owner), a.tellOwner(ctx, x, u.Email))
		}
		if err != nil {
			return err
		}
		return a.askToVerify(ctx, x, u, callback)
	}); err != nil {
		return err
	}
	return x.answer(signedIn{User: viewUser(u)})
}

// salt is that of the hash of a user's password, or else the one with which all
// passwords are hashed that are tried with an address.
func (a *Auth) salt(email, hash string) []byte {
	if salt := saltOf(hash); salt != nil {
		return salt
	}
	sum := a.hash(forSalt, email)
	return sum[:argonSalt]
}

// noteTry keeps the hash of a password with which somebody tried to sign up with an
// address that has a user. As many are kept as can be told apart when nobody has it,
// of which the first would be that of the new user.
func (a *Auth) noteTry(ctx context.Context, email, hash string, owner account.User) error {
	bound := account.Bound{Live: maxLetters, Counter: a.counter("tries of " + email)}
	if !owner.EmailVerified {
		bound.Live--
	}
	_, err := a.issue(ctx, forTry, email, hash, bound)
	return err
}

// tries are the hashes that noteTry has kept.
func (a *Auth) tries(ctx context.Context, email string) ([]string, error) {
	if !a.RequireVerification {
		return nil, nil
	}
	return a.Store.VerificationValues(ctx, forTry, email)
}
