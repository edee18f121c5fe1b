package auth

// changePassword sets another password for who knows the present one.
func (a *Auth) changePassword(x *exchange) error {
	_, u, err := x.session()
	if err != nil {
		return err
	}
	var current, password string
	revoke := false
	if err := x.read(members{"currentPassword": text(&current), "newPassword": text(&password), "revokeOtherSessions": truth(&revoke)}); err != nil {
		return err
	}
	if err := checkPassword(password); err != nil {
		return err
	}
	ctx := x.r.Context()
	if err := a.confirm(x, u, current); err != nil {
		return err
	}
	hash, err := a.passwords.hash(ctx, password, newSalt())
	if err != nil {
		return err
	}
	if err := a.Store.SetPassword(ctx, u.ID, hash); err != nil {
		return err
	}
	answer := signedIn{User: viewUser(u)}
	if revoke {
		if err := a.Store.EndSessions(ctx, u.Account, ""); err != nil {
			return err
		}
		s, err := x.startSession(u, false)
		if err != nil {
			return err
		}
		answer.Token = &s.ID
	}
	return x.answer(answer)
}
