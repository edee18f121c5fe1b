package customer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

type createKeyInput struct {
	Name KeyName `arg:"name" required:"true" doc:"The key's name, 1 to 100 characters." example:"ERP"`
}

// NewKey is a new key with its secret, which is shown only once.
type NewKey struct {
	ID        string    `json:"id" doc:"Id of the key, to list and revoke it."`
	Name      string    `json:"name" doc:"The key's name."`
	Prefix    string    `json:"prefix" doc:"Start of the key."`
	Key       string    `json:"key" doc:"The key itself. Save it: it is not shown again."`
	CreatedAt time.Time `json:"createdAt" doc:"When it was created, UTC."`
}

// CreateKey returns the operation create_key.
func CreateKey(keys Keyring, management KeyManagement) *op.Operation {
	return op.Define(op.Spec{
		Name: "create_key", Method: "POST", Path: "/v1/keys", Tag: tag.Account, Account: true,
		Success: http.StatusCreated,
		Title:   "Create an API key",
		Description: "Creates a key for the caller's account; only this answer shows it. An account can have up to " +
			"20 keys. To rotate one without downtime, create a new one, switch to it, and revoke the old one. A key " +
			"created with another is revoked along with it.",
	}, func(ctx context.Context, caller account.Caller, in createKeyInput) (op.Answer[NewKey], error) {
		if err := management.allows(caller); err != nil {
			return op.Answer[NewKey]{}, err
		}

		wanted := account.Key{Account: caller.Account(), Name: string(in.Name)}
		if caller.Key != nil {
			wanted.Parent = caller.Key.ID
		}

		key, secret, err := keys.Issue(ctx, wanted)
		if errors.Is(err, account.ErrTooManyKeys) {
			return op.Answer[NewKey]{}, op.Malformed(problem.TooMany,
				"the account has %[1]d keys, the maximum; revoke an unused one (GET /v1/keys lists them, DELETE "+
					"/v1/keys/{id} revokes one), then create the new one",
				fmt.Sprintf("at most %d keys per account", account.MaxKeys), account.MaxKeys)
		}

		return op.Answer[NewKey]{Value: NewKey{key.ID, key.Name, key.Prefix, secret, key.CreatedAt}}, err
	})
}
