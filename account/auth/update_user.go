package auth

import "github.com/rodata/rodata/account"

// updateUser changes the user's name and image.
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
	if err := a.Store.RenameUser(x.r.Context(), u.ID, u.Name, u.Image); err != nil {
		return err
	}

	return x.answer(done)
}
