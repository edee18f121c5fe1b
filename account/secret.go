package account

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"
)

const (
	secretFile      = "secret"
	secretBytes     = 32
	secretMinLength = 16 // minimum length of a configured secret
)

// LoadSecret returns the secret of the deployment. Stored hashes are keyed with it, so that keys cannot be guessed from
// a copy of the store alone.
//
// A configured secret must have at least 16 characters. If it is empty, LoadSecret uses the 32 random bytes in the file
// "secret" of the data directory dir; it creates the file on first use, readable only by its owner. All processes on
// one store need the same secret. With a different secret, no stored key is recognised.
func LoadSecret(configured, dir string) ([]byte, error) {
	secret, err := existingSecret(configured, dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}

	path := filepath.Join(dir, secretFile)
	if err := writeSecret(path); err != nil {
		return nil, fmt.Errorf("writing a new secret: %w", err)
	}
	return readSecret(path)
}

// CheckSecret returns the error that LoadSecret would return because of the secret. It creates no secret.
func CheckSecret(configured, dir string) error {
	if _, err := existingSecret(configured, dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func existingSecret(configured, dir string) ([]byte, error) {
	switch n := utf8.RuneCountInString(configured); {
	case n == 0:
		return readSecret(filepath.Join(dir, secretFile))
	case n < secretMinLength:
		return nil, fmt.Errorf("the secret has %d characters, want at least %d: set RODATA_SECRET to a longer random "+
			"text, or leave it empty to have one generated", n, secretMinLength)
	}
	return []byte(configured), nil
}

// SecretFingerprint identifies a secret without revealing it: 128 bits in hexadecimal digits.
func SecretFingerprint(secret []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("fingerprint of the secret"))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

func readSecret(path string) ([]byte, error) {
	secret, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the secret: %w", err)
	}

	if len(secret) != secretBytes {
		return nil, fmt.Errorf("the secret in %s has %d bytes, want %d: restore the file from a backup, or remove it "+
			"to have a new one generated, with which all API keys made so far are refused", path,
			len(secret), secretBytes)
	}

	return secret, nil
}

// writeSecret writes a new secret, unless another process was faster. A hard link appears with its whole content and
// never replaces a file.
func writeSecret(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}

	draft, err := os.CreateTemp(dir, secretFile+"-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())

	secret := make([]byte, secretBytes)
	rand.Read(secret)
	_, err = draft.Write(secret)
	if err := errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return err
	}
	if err := os.Link(draft.Name(), path); !errors.Is(err, fs.ErrExist) {
		return err
	}

	return nil
}
