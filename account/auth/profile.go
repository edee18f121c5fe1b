package auth

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/op/problem"
)

// Limits of a user's profile.
const (
	maxName  = 120  // characters
	maxImage = 2048 // bytes
	maxEmail = 254  // bytes: RFC 5321, section 4.5.3.1.3
)

func newUser(name, email string, image *string) (account.User, error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	u := account.User{ID: account.NewID(), Account: account.NewID(), Email: email, CreatedAt: now, UpdatedAt: now}
	return u, setProfile(&u, &name, image)
}

// setProfile sets the name and image of a user where they are not nil.
func setProfile(u *account.User, name, image *string) error {
	if name != nil {
		u.Name = strings.TrimSpace(*name)
		if n := utf8.RuneCountInString(u.Name); n == 0 || n > maxName ||
			strings.ContainsFunc(u.Name, spelling.IsHidden) {
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

func (a *Auth) updateUser(x *exchange, _ account.Session, u account.User) error {
	var name, image, email *string
	if err := x.read(members{"name": nullable(&name), "image": nullable(&image),
		"email": nullable(&email)}); err != nil {
		return err
	}

	switch {
	case email != nil:
		return bad("EMAIL_CAN_NOT_BE_UPDATED", "Email can not be updated",
			"the address is changed by "+Path+"/change-email")
	case name == nil && image == nil:
		return bad("NO_FIELDS_TO_UPDATE", "No fields to update", "")
	}

	if err := setProfile(&u, name, image); err != nil {
		return err
	}

	return x.answer(done, a.Store.RenameUser(x.r.Context(), u.ID, u.Name, u.Image))
}

// listAccounts lists the user's logins. Better-auth calls them accounts.
func (a *Auth) listAccounts(x *exchange, _ account.Session, u account.User) error {
	logins, err := a.Store.Logins(x.r.Context(), u.ID)
	views := make([]loginView, len(logins)) // never null
	for i, l := range logins {
		views[i] = loginView{l.ID, l.Provider, l.Subject, l.User, timestamp(l.CreatedAt), timestamp(l.UpdatedAt),
			[]string{}}
	}

	return x.answer(views, err)
}

type loginView struct {
	ID         string    `json:"id"`
	ProviderID string    `json:"providerId"`
	AccountID  string    `json:"accountId"`
	UserID     string    `json:"userId"`
	CreatedAt  timestamp `json:"createdAt"`
	UpdatedAt  timestamp `json:"updatedAt"`
	Scopes     []string  `json:"scopes"` // empty: the gateway never calls the provider on the user's behalf
}
