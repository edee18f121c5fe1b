package auth

import (
	"regexp"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op/problem"
)

// consentShape is the format of a version of the terms of use and the privacy statement.
var consentShape = regexp.MustCompile(`^[0-9A-Za-z._-]{1,64}$`)

// checkConsent checks the version that a client sent; an empty one means that the client did not ask for consent.
func checkConsent(version string) error {
	if version == "" || consentShape.MatchString(version) {
		return nil
	}
	return invalid(problem.InputError{Parameter: "consent", Code: problem.InvalidFormat,
		Accepted: "the version of the texts: 1 to 64 letters, digits, points, hyphens and underscores"},
		"[body.consent] Invalid input: expected the version of the texts")
}

// recordConsent records the version that a new user accepts, unless it is empty.
func recordConsent(u *account.User, version string) {
	if version != "" {
		u.Consent, u.ConsentedAt = version, u.CreatedAt
	}
}
