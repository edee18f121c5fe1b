package account

import (
	"crypto/hmac"
	"crypto/sha256"
	"hash"
	"sync"
)

type digest [sha256.Size]byte

// Hash returns the stored form of a secret: its HMAC-SHA-256, keyed with the pepper. A secret has 190 random bits, so
// it needs no slow hash.
func (d *Directory) Hash(secret string) []byte {
	id := d.digest(secret)
	return id[:]
}

// purpose separates these hashes from others keyed with the same secret.
const purpose = "api key\x00"

// digest hashes a secret with a pooled HMAC, because this happens on every call.
func (d *Directory) digest(secret string) digest {
	m := d.macs.Get().(*mac)
	defer d.macs.Put(m)
	m.Reset()
	m.input = append(append(m.input[:0], purpose...), secret...)
	m.Write(m.input)
	clear(m.input)
	m.Sum(m.output[:0])
	return m.output
}

type mac struct {
	hash.Hash
	input  []byte
	output digest
}

func newMACs(pepper []byte) *sync.Pool {
	return &sync.Pool{New: func() any { return &mac{Hash: hmac.New(sha256.New, pepper)} }}
}
