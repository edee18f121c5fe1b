package account

import (
	"errors"
	"time"
)

// User is a person who can sign in. Each has an account of their own.
type User struct {
	ID, Account string
	// Email is the address of the person in lower case, no two alike.
	Email string
	// EmailVerified says that the person has shown to read what is sent there.
	EmailVerified bool
	Name          string
	// Image is the address of a picture; empty for none.
	Image string
	// CreatedAt and UpdatedAt are when the person signed up, and when something of
	// the above last changed, to the millisecond.
	CreatedAt, UpdatedAt time.Time
}

// Login is a way in which a user signs in.
type Login struct {
	ID, User string
	// Provider is who vouches for the user: Credential, or the name of a provider.
	Provider string
	// Subject is how the provider calls the user; the user's own id for Credential.
	Subject string
	// Password is the hash of the password, of Credential only.
	Password             string
	CreatedAt, UpdatedAt time.Time
}

// Credential is the provider of a login by password.
const Credential = "credential"

// Keep says what outlives the moment at which somebody proves that an unverified
// address is theirs: whoever signed up with it may have been somebody else.
type Keep int

// The ways to keep something.
const (
	// KeepNothing ends the password, sessions, links, grants and keys.
	KeepNothing Keep = iota
	// KeepPassword ends all of these but the password.
	KeepPassword
	// KeepAll is for proofs by the person who is signed in.
	KeepAll
)

// Verification is what a single-use token allows. The token itself is kept
// nowhere.
type Verification struct {
	// Purpose tells the tokens apart: one for a new password proves no address.
	Purpose string
	// Subject is whom the token is about: the id of a user, or an address.
	Subject string
	// Value is what else there is to know, in the purpose's own form.
	Value     string
	ExpiresAt time.Time
	// Used says that the token has done its work.
	Used bool
}

// Bound limits how many tokens are made. Its zero value does not.
type Bound struct {
	// Live is how many for the same purpose and subject may be yet to expire; 0 does
	// not limit.
	Live int
	// Counter names what is counted by the day, in hexadecimal digits of a hash, and
	// Daily is how many there may be; 0 does not limit. With a counter, tokens made at
	// the same moment are counted one after the other.
	Counter string
	Daily   int
}

// The answers of a store about users.
var (
	// ErrTooMany: as many were made or counted as may be.
	ErrTooMany = errors.New("there were as many as there may be")
	// ErrNoUser: there is no user of that id, address or login.
	ErrNoUser = errors.New("there is no such user")
	// ErrEmailTaken: another user has the address.
	ErrEmailTaken = errors.New("another user has this e-mail address")
	// ErrForeignHash: the hash of a password is of no form that can be imported.
	ErrForeignHash = errors.New("the password hash is not of better-auth's form: 32 and 128 hexadecimal digits with a colon between")
	// ErrNoVerification: there never was such a token, or it is long past.
	ErrNoVerification = errors.New("there is no such token")
)
