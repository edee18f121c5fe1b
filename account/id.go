package account

import "github.com/google/uuid"

// NewID returns a new id: a UUID of version 7 (RFC 9562, section 5.7), so ids sort by creation time. It is not a
// secret.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }
