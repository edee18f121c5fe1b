package account

import (
	"errors"
	"time"
)

// User is a person who can sign in. Each user has one account.
type User struct {
	ID, Account string
	// Email is the unique address in lower case.
	Email string
	// EmailVerified reports that the user has proven to read mail at the address.
	EmailVerified bool
	Name          string
	// Image is the address of a picture; empty for none.
	Image string
	// CreatedAt and UpdatedAt are the times of sign-up and of the last change, to the millisecond.
	CreatedAt, UpdatedAt time.Time
}

// Login is a way in which a user signs in.
type Login struct {
	ID, User string
	// Provider is Credential, or the name of an identity provider.
	Provider string
	// Subject is the provider's id of the user; for Credential, the user's own id.
	Subject string
	// Password is the hash of the password, for Credential only.
	Password             string
	CreatedAt, UpdatedAt time.Time
}

// Credential is the provider of a login by password.
const Credential = "credential"

// Keep says what survives the proof of an unverified address: whoever signed up with it may have been somebody
// else.
type Keep int

// The values of Keep.
const (
	// KeepNothing ends the password, sessions, links, grants and keys.
	KeepNothing Keep = iota
	// KeepPassword ends all of these except the password.
	KeepPassword
	// KeepAll is for proofs by the signed-in user.
	KeepAll
)

// Verification is what a single-use token allows. Only the hash of the token is stored.
type Verification struct {
	// Purpose separates tokens: one for a new password does not verify an address.
	Purpose string
	// Subject is the id of a user, or an address.
	Subject string
	// Value is further data in a format of the purpose.
	Value     string
	ExpiresAt time.Time
	// Used reports that the token has been used.
	Used bool
}

// Bound limits the creation of tokens. The zero value sets no limit.
type Bound struct {
	// Live is the most unexpired tokens with the same purpose and subject; 0 is no limit.
	Live int
	// Counter is the name of a daily counter, the hexadecimal digits of a hash, and Daily its limit; 0 is no
	// limit. A counter serializes concurrent creations.
	Counter string
	Daily   int
}

// The errors of a store about users.
var (
	// ErrTooMany: a limit is reached.
	ErrTooMany = errors.New("the limit has been reached")
	// ErrNoUser: there is no user with that id, address or login.
	ErrNoUser = errors.New("there is no such user")
	// ErrEmailTaken: another user has the address.
	ErrEmailTaken = errors.New("another user has this e-mail address")
	// ErrForeignHash: the format of a password hash cannot be imported.
	ErrForeignHash = errors.New("the password hash is not of better-auth's form: 32 and 128 hexadecimal digits with a colon between")
	// ErrNoVerification: the token does not exist, or expired long ago.
	ErrNoVerification = errors.New("there is no such token")
)
