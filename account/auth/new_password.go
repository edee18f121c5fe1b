package auth

import (
	"fmt"
	"unicode/utf8"

	"github.com/rodata/rodata/account/password"
	"github.com/rodata/rodata/op/problem"
)

var passwordForm = fmt.Sprintf("%d to %d characters", password.MinLength, password.MaxLength)

// checkNewPassword rejects a new password, a member of the body, that is too short, too long or too common.
func checkNewPassword(member, text string) error {
	switch n := utf8.RuneCountInString(text); {
	case n < password.MinLength:
		return wrong("PASSWORD_TOO_SHORT", "Password too short",
			fmt.Sprintf("a password has at least %d characters", password.MinLength),
			problem.InputError{Parameter: member, Code: problem.TooShort, Accepted: passwordForm})
	case n > password.MaxLength:
		return wrong("PASSWORD_TOO_LONG", "Password too long",
			fmt.Sprintf("a password has at most %d characters", password.MaxLength),
			problem.InputError{Parameter: member, Code: problem.TooLong, Accepted: passwordForm})
	case password.IsCommon(text):
		return bad("PASSWORD_COMPROMISED",
			"The password you entered has been compromised. Please choose a different password.",
			"this is one of the most common passwords, which attackers try first; choose another one")
	}

	return nil
}
