package password

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"strings"
	"sync"
)

// commonGZ holds the 10,000 most common passwords of at least MinLength characters, one per line, in lower case and
// in alphabetical order, read on 2026-11-26. They are those of John the Ripper's password.lst (Debian package john-
// data 1.9.0-2, public domain), the most common ones of zxcvbn's passwords.txt (as in github.com/trustelem/zxcvbn
// v1.0.1; MIT licence, copyright 2012-2016 Dan Wheeler and Dropbox, Inc.), and eleven others, such as parola123.
//
//go:embed common.txt.gz
var commonGZ []byte

// commonList returns the passwords, each between line breaks.
var commonList = sync.OnceValue(func() []byte {
	r, err := gzip.NewReader(bytes.NewReader(commonGZ))
	if err != nil { // it is embedded
		panic(err)
	}

	text, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}

	return append([]byte("\n"), text...)
})

// IsCommon reports whether a password is one of the most common ones, in upper or lower case, or repeats up to four
// characters. Searching the text takes a fraction of the time of hashing the password.
func IsCommon(password string) bool {
	letters := []rune(strings.ToLower(string(normal(password))))
	password = string(letters)
	for period := 1; period <= MinLength/2 && period < len(letters); period++ {
		if strings.HasPrefix(password, string(letters[period:])) {
			return true
		}
	}

	return bytes.Contains(commonList(), []byte("\n"+password+"\n"))
}
