package auth

import (
	"net/http"

	"github.com/rodata/rodata/account"
)

// updateUser changes the user's name and image.
func (a *Auth) updateUser(x *exchange, _ account.Session, u account.User) error {
	var name, image, email *string
	if err := x.read(members{"name": nullable(&name), "image": nullable(&image),
		"email": nullable(&email)}); err != nil {
		return err
	}

	switch {
	case email != nil:
		return &failure{status: http.StatusBadRequest, code: "EMAIL_CAN_NOT_BE_UPDATED",
			message: "Email can not be updated", detail: "the address is changed by " + Path + "/change-email"}
	case name == nil && image == nil:
		return &failure{status: http.StatusBadRequest, code: "NO_FIELDS_TO_UPDATE", message: "No fields to update"}
	}

	if err := setProfile(&u, name, image); err != nil {
		return err
	}
	if err := a.Store.RenameUser(x.r.Context(), u.ID, u.Name, u.Image); err != nil {
		return err
	}

	return x.answer(done)
}
