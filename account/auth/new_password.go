package auth

import (
	"fmt"
	"net/http"
	"unicode/utf8"

	"github.com/rodata/rodata/account/password"
	"github.com/rodata/rodata/op/problem"
)

var passwordForm = fmt.Sprintf("%d to %d characters", password.MinLength, password.MaxLength)

// checkNewPassword rejects a new password, a member of the body, that is too short, too long or too common.
func checkNewPassword(member, text string) error {
	switch n := utf8.RuneCountInString(text); {
	case n < password.MinLength:
		return &failure{status: http.StatusBadRequest, code: "PASSWORD_TOO_SHORT", message: "Password too short",
			detail: fmt.Sprintf("a password has at least %d characters", password.MinLength),
			wrong:  &problem.InputError{Parameter: member, Code: problem.TooShort, Accepted: passwordForm}}
	case n > password.MaxLength:
		return &failure{status: http.StatusBadRequest, code: "PASSWORD_TOO_LONG", message: "Password too long",
			detail: fmt.Sprintf("a password has at most %d characters", password.MaxLength),
			wrong:  &problem.InputError{Parameter: member, Code: problem.TooLong, Accepted: passwordForm}}
	case password.IsCommon(text):
		return &failure{status: http.StatusBadRequest, code: "PASSWORD_COMPROMISED",
			message: "The password you entered has been compromised. Please choose a different password.",
			detail:  "this is one of the most common passwords, which attackers try first; choose another one"}
	}

	return nil
}
