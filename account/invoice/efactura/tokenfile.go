package efactura

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// TokenFile is a TokenStore in a file that only its owner can read. It belongs to
// one process.
type TokenFile struct {
	// Path is where the file is; its folder exists.
	Path string
	// RefreshToken is what the operator configured. A file that began with another
	// one is not used any more, so that a new one takes the place of a lost one.
	RefreshToken string
}

// kept is the content of the file.
type kept struct {
	Token
	Seed string `json:"seed"` // hash of the refresh token that it began with
}

// Token implements TokenStore.
func (f *TokenFile) Token(context.Context) (Token, error) {
	var k kept
	text, err := os.ReadFile(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Token{Refresh: f.RefreshToken}, nil
	case err != nil:
		return Token{}, fmt.Errorf("reading the e-Factura token: %w", err)
	}
	if err := json.Unmarshal(text, &k); err != nil {
		return Token{}, fmt.Errorf("reading the e-Factura token: %s: %w; remove it to begin with the configured one", f.Path, err)
	}
	if k.Seed != f.seed() {
		return Token{Refresh: f.RefreshToken}, nil
	}
	return k.Token, nil
}

// SaveToken implements TokenStore. A crash leaves the old file or the new one.
func (f *TokenFile) SaveToken(_ context.Context, t Token) error {
	text, err := json.Marshal(kept{Token: t, Seed: f.seed()})
	if err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(f.Path), filepath.Base(f.Path)+".*") // readable by its owner only
	if err != nil {
		return fmt.Errorf("keeping the e-Factura token: %w", err)
	}
	_, err = next.Write(text)
	err = errors.Join(err, next.Sync(), next.Close())
	if err == nil {
		err = os.Rename(next.Name(), f.Path)
	}
	if err != nil {
		return fmt.Errorf("keeping the e-Factura token: %w", errors.Join(err, os.Remove(next.Name())))
	}
	return nil
}

func (f *TokenFile) seed() string {
	sum := sha256.Sum256([]byte(f.RefreshToken))
	return hex.EncodeToString(sum[:])
}
