package monitoring

import (
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
)

// DigestLanguage is the language in which a watch-list's digests are written.
type DigestLanguage string

// The languages of digests.
const (
	// BothLanguages writes a digest in Romanian and then in English.
	BothLanguages  DigestLanguage = "both"
	RomanianDigest DigestLanguage = "ro"
	EnglishDigest  DigestLanguage = "en"
)

// UnmarshalText parses both, ro or en.
func (l *DigestLanguage) UnmarshalText(text []byte) (err error) {
	*l, err = op.OneOf(text, BothLanguages, RomanianDigest, EnglishDigest)
	return err
}

// Schema lists the languages.
func (DigestLanguage) Schema() jsonschema.Schema {
	return jsonschema.Enum(BothLanguages, RomanianDigest, EnglishDigest)
}
