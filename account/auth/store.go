package auth

import (
	"context"

	"github.com/rodata/rodata/account"
)

// Store keeps users, sessions and tokens; account/store implements it. An error that is
// not one of package account means that the store could not be reached. Methods may be
// called concurrently.
type Store interface {
	account.SessionStore
	CreateUser(ctx context.Context, u account.User, plan string, logins ...account.Login) error
	User(ctx context.Context, id string) (account.User, error)
	UserByEmail(ctx context.Context, email string) (u account.User, password string, err error)
	UserByLogin(ctx context.Context, provider, subject string) (account.User, error)
	RenameUser(ctx context.Context, id, name, image string) error
	VerifyEmail(ctx context.Context, u account.User, email string, keep account.Keep) error
	SetEmail(ctx context.Context, id, email string) error
	ProveUser(ctx context.Context, u account.User) error
	DeleteUser(ctx context.Context, u account.User) error
	AddLogin(ctx context.Context, l account.Login) error
	Logins(ctx context.Context, user string) ([]account.Login, error)
	ForeignPasswords(ctx context.Context) (bool, error)
	ChangePassword(ctx context.Context, u account.User, hash, except string) error
	ReplacePassword(ctx context.Context, user, old, hash string) error
	ResetPassword(ctx context.Context, u account.User, hash string) error
	CreateSession(ctx context.Context, s account.Session, hash, network []byte) error
	KnowsNetwork(ctx context.Context, user string, network []byte) (bool, error)
	Sessions(ctx context.Context, user string) ([]account.Session, error)
	ProlongSession(ctx context.Context, s account.Session) error
	EndSession(ctx context.Context, account, id string) error
	EndSessions(ctx context.Context, account, except string) error
	CreateVerification(ctx context.Context, v account.Verification, hash []byte, bound account.Bound) error
	Verification(ctx context.Context, purpose string, hash []byte) (account.Verification, error)
	UseVerification(ctx context.Context, purpose string, hash []byte) (account.Verification, error)
	VerificationValues(ctx context.Context, purpose, subject string) ([]string, error)
	CountToday(ctx context.Context, name string, max int) error
	Watch(changed func(account string)) (stop func())
}
