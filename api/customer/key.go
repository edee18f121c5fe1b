package customer

import (
	"context"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// Keyring manages the API keys of accounts; account.Directory implements it. Its errors are defined in package account.
type Keyring interface {
	// Issue creates a key with the account, name and parent of the given key. It also returns the secret, which is not
	// stored.
	Issue(ctx context.Context, key account.Key) (issued account.Key, secret string, err error)
	// Keys returns the account's active keys, the oldest first.
	Keys(ctx context.Context, account string) ([]account.Key, error)
	// Revoke revokes one of the account's keys and the keys created with it, recursively. It spares the key by, which
	// the caller is using, and all keys created with by.
	Revoke(ctx context.Context, account, id, by string) error
}

// KeyManagement determines who may create and revoke keys.
type KeyManagement string

// The values of KeyManagement.
const (
	// AnyCaller: callers with a session or a key of the account. The zero value means the same.
	AnyCaller KeyManagement = "any"
	// SessionOnly: only callers with a session, so that a leaked key cannot create others.
	SessionOnly KeyManagement = "session_only"
)

// allows rejects callers with a key if only sessions may manage keys.
func (m KeyManagement) allows(caller account.Caller) error {
	if m == SessionOnly && caller.Session == nil {
		return problem.Forbidden.New("on this installation, keys cannot be created or revoked with a key; sign in, " +
			"or ask the operator")
	}
	return nil
}

// KeyInfo is the public part of a key.
type KeyInfo struct {
	ID         string     `json:"id" doc:"Id of the key, to revoke it."`
	Name       string     `json:"name" doc:"Name chosen by its owner."`
	Prefix     string     `json:"prefix" doc:"Start of the key."`
	Last4      string     `json:"last4" doc:"Its last four characters."`
	CreatedAt  time.Time  `json:"createdAt" doc:"When it was created, UTC."`
	LastUsedAt *time.Time `json:"lastUsedAt" doc:"When it was last used, UTC, to the minute; null if never."`
	ExpiresAt  *time.Time `json:"expiresAt" doc:"When it expires, UTC; null if it never does."`
}

// SchemaName is the type's name in the API description.
func (KeyInfo) SchemaName() string { return "Key" }

// NewKeyInfo returns the public part of a key.
func NewKeyInfo(k account.Key) KeyInfo {
	return KeyInfo{k.ID, k.Name, k.Prefix, k.Last4, k.CreatedAt, orNull(k.LastUsedAt), orNull(k.ExpiresAt)}
}

func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// KeyName is the name of a key: 1 to 100 characters.
type KeyName string

// UnmarshalText parses a name; surrounding space is dropped.
func (n *KeyName) UnmarshalText(text []byte) (err error) {
	*n, err = op.ShownText[KeyName]([]byte(strings.TrimSpace(string(text))), 1, 100)
	return err
}

// Schema describes the format of a name.
func (KeyName) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", MinLength: 1, MaxLength: 100}
}

// KeyID is the id of a key. A malformed id is treated as an unknown one.
type KeyID string

// UnmarshalText accepts any text.
func (i *KeyID) UnmarshalText(text []byte) error {
	*i = KeyID(text)
	return nil
}

// Schema describes an id.
func (KeyID) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "string"} }
