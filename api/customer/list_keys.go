package customer

import (
	"context"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
)

// ListKeys returns the operation list_keys.
func ListKeys(keys Keyring) *op.Operation {
	return op.Define(op.Spec{
		Name: "list_keys", Method: "GET", Path: "/v1/keys", Tag: tag.Account, Account: true,
		Title: "List API keys",
		Description: "Keys of the caller's account that are not revoked, oldest first, each identified by its last " +
			"characters; never the keys themselves.",
	}, func(ctx context.Context, caller account.Caller, _ struct{}) (op.Answer[[]KeyInfo], error) {
		all, err := keys.Keys(ctx, caller.Account())
		if err != nil {
			return op.Answer[[]KeyInfo]{}, err
		}

		shown := make([]KeyInfo, len(all))
		for i := range all {
			shown[i] = NewKeyInfo(all[i])
		}

		return op.Answer[[]KeyInfo]{Value: shown}, nil
	})
}
