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
	// EmailVerified reports that the user has proven access to mail at the address.
	EmailVerified bool
	Name          string
	// Image is the address of a picture. It is empty if there is none.
	Image string
	// Consent is the version of the terms of use and the privacy statement that the user accepted at sign-up, at
	// ConsentedAt. Both are zero if the user was not asked.
	Consent     string
	ConsentedAt time.Time
	// CreatedAt and UpdatedAt are the times of sign-up and of the last change, to the millisecond.
	CreatedAt, UpdatedAt time.Time
}

// Login is a user's way of signing in.
type Login struct {
	ID, User string
	// Provider is Credential, or the name of an identity provider.
	Provider string
	// Subject is the user's id at the provider; for Credential, the user's own id.
	Subject string
	// Password is the hash of the password, for Credential only.
	Password             string
	CreatedAt, UpdatedAt time.Time
}

// Credential is the provider of a login by password.
const Credential = "credential"

// Keep selects what survives the proof of an unverified address: the account may have been opened by somebody else.
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

// Verification is the permission granted by a single-use token. Only the hash of the token is stored.
type Verification struct {
	// Purpose separates tokens: a token for a new password does not verify an address.
	Purpose string
	// Subject is the id of a user, or an address.
	Subject string
	// Value is further data in a purpose-specific format.
	Value     string
	ExpiresAt time.Time
	// Used reports that the token has been used.
	Used bool
}

// Bound limits the creation of tokens. The zero value sets no limit.
type Bound struct {
	// Live is the maximum number of unexpired tokens with the same purpose and subject; 0 means no limit.
	Live int
	// Counter is the name of a daily counter, the hexadecimal digits of a hash, and Daily its limit; 0 means no limit.
	// A counter serialises concurrent creations.
	Counter string
	Daily   int
}

// The errors of a store about users.
var (
	// ErrTooMany: a limit on tokens, or on uses a day, has been reached.
	ErrTooMany = errors.New("there are too many unexpired tokens, or too many uses today")
	// ErrNoUser: there is no user with that id, address or login.
	ErrNoUser = errors.New("there is no such user")
	// ErrEmailTaken: another user has the address.
	ErrEmailTaken = errors.New("another user has this e-mail address")
	// ErrForeignHash: the password hash has a format that cannot be imported.
	ErrForeignHash = errors.New("the password hash does not have better-auth's format: 32 and 128 hexadecimal digits " +
		"separated by a colon")
	// ErrNoVerification: the token does not exist, or expired long ago.
	ErrNoVerification = errors.New("there is no such token")
)
