package customer

import (
	"context"
	"errors"
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

type revokeKeyInput struct {
	ID KeyID `arg:"id" in:"path" doc:"Id of the key, as GET /v1/keys lists it." example:"01a20677-04e8-713f-ae3f-516850a5c657"`
}

// RevokeKey returns the operation revoke_key.
func RevokeKey(keys Keyring, management KeyManagement) *op.Operation {
	return op.Define(op.Spec{
		Name: "revoke_key", Method: "DELETE", Path: "/v1/keys/{id}", Tag: tag.Account, Account: true,
		Success: http.StatusNoContent,
		Title:   "Revoke an API key",
		Description: "Permanently revokes one of the account's keys and the keys created with it: immediately on the " +
			"server that answers, within 10 seconds on others. Their streams end, and the webhooks made with them are " +
			"disabled with the reason key_revoked; addresses of feeds that were shown to them stop working. The key used for the call and the keys created with " +
			"it stay valid, even if it was created with the revoked key, unless it revokes itself. An id that is not " +
			"one of the account's keys, or is already revoked, is a 404.",
		Errors: []*problem.Kind{problem.NotFound},
	}, func(ctx context.Context, caller account.Caller, in revokeKeyInput) (op.Answer[struct{}], error) {
		if err := management.allows(caller); err != nil {
			return op.Answer[struct{}]{}, err
		}

		err := keys.Revoke(ctx, caller.Account(), string(in.ID), caller.KeyID())
		if errors.Is(err, account.ErrUnknownKey) {
			err = problem.NotFound.New("the account has no active key %s; GET /v1/keys lists its keys",
				problem.Quoted(string(in.ID)))
		}

		return op.Answer[struct{}]{}, err
	})
}
