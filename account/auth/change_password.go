package auth

import "github.com/rodata/rodata/account"

// changePassword replaces the password, given the present one, and ends all other sessions and earlier links. With
// revokeOtherSessions the session of the request is replaced too, as in better-auth.
func (a *Auth) changePassword(x *exchange, s account.Session, u account.User) error {
	var current, password string
	revoke := false
	if err := x.read(members{"currentPassword": text(&current), "newPassword": text(&password),
		"revokeOtherSessions": boolean(&revoke)}); err != nil {
		return err
	}
	if err := checkNewPassword("newPassword", password); err != nil {
		return err
	}

	ctx := x.r.Context()
	if err := a.checkCurrentPassword(x, u, current); err != nil {
		return err
	}

	hash, err := a.passwords.Hash(ctx, password, nil)
	if err != nil {
		return err
	}

	except := s.ID
	if revoke {
		except = ""
	}
	if err := a.Store.ChangePassword(ctx, u, hash, except); err != nil {
		return err
	}

	answer := signInAnswer{User: viewUser(u)}
	if revoke {
		s, err := x.startSession(u, s.Brief)
		if err != nil {
			return err
		}

		answer.Token = &s.ID
	}

	return x.answer(answer)
}
