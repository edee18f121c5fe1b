package adminapi

import (
	"net/http"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/customer"
)

func listKeys(g gateway, r *http.Request) (any, error) {
	keys, err := g.Keys.Keys(r.Context(), r.PathValue("id"))
	return convertAll(keys, customer.NewKeyInfo), err
}

func issueKey(g gateway, r *http.Request, in struct{ Name string }) (any, error) {
	var name customer.KeyName
	if err := name.UnmarshalText([]byte(in.Name)); err != nil {
		return nil, badRequest("name: %w", err)
	}

	key, secret, err := g.Keys.Issue(r.Context(), account.Key{Account: r.PathValue("id"), Name: string(name)})
	if err != nil {
		return nil, err
	}

	return customer.NewKey{ID: key.ID, Name: key.Name, Prefix: key.Prefix, Key: secret, CreatedAt: key.CreatedAt}, nil
}

func revokeKey(g gateway, r *http.Request) (any, error) {
	return nil, g.Keys.Revoke(r.Context(), r.PathValue("id"), r.PathValue("key"), "")
}
