package api

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
func (l *DigestLanguage) UnmarshalText(text []byte) error {
	name, err := oneOf(text, string(BothLanguages), string(RomanianDigest), string(EnglishDigest))
	*l = DigestLanguage(name)
	return err
}

// Schema lists the languages.
func (DigestLanguage) Schema() Schema {
	return Schema{Type: "string", Enum: []string{string(BothLanguages), string(RomanianDigest), string(EnglishDigest)}}
}
