package account

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// NewID makes an id for an account or what belongs to one: a UUID of version 7
// (RFC 9562, section 5.7), so that ids sort by the millisecond in which they were
// made. It is no secret.
func NewID() string {
	var id [16]byte
	binary.BigEndian.PutUint64(id[:], uint64(time.Now().UnixMilli())<<16)
	rand.Read(id[6:])
	id[6] = id[6]&0x0f | 0x70 // the version
	id[8] = id[8]&0x3f | 0x80 // the variant
	text := hex.EncodeToString(id[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}
