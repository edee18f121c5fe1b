package account

import "github.com/google/uuid"

// NewID makes an id for an account or what belongs to one: a UUID of version 7
// (RFC 9562, section 5.7), so that ids sort by the millisecond in which they were
// made. It is no secret.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }
