package upload

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/rodata/rodata/api/problem"
)

const textForm = "text in UTF-8, UTF-16 or Windows-1250"

// decode converts a text file to UTF-8. A file that is neither UTF-8 nor UTF-16 is read as Windows-1250, the encoding
// of Romanian programs for Windows.
func decode(file []byte) (string, error) {
	from, name := utf16Of(file), "UTF-16"
	if from == nil && !utf8.Valid(file) {
		from, name = charmap.Windows1250, "Windows-1250"
	}

	text := file
	if from != nil {
		var err error
		if text, err = from.NewDecoder().Bytes(file); err != nil {
			return "", refuse(problem.InvalidEncoding, textForm, "the file cannot be decoded as %s", name)
		}
	}

	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return "", refuse(problem.InvalidEncoding, textForm, "the file is not text: row %d has a zero byte",
			1+bytes.Count(text[:i], []byte("\n")))
	}

	return strings.ToValidUTF8(string(text), "\uFFFD"), nil
}

// utf16Of returns the encoding of a file in UTF-16, or nil. A file without a byte order mark counts as UTF-16 if its
// first two characters are ASCII.
func utf16Of(file []byte) encoding.Encoding {
	if len(file) < 4 {
		return nil
	}

	switch {
	case file[0] == 0xFF && file[1] == 0xFE, file[1] == 0 && file[3] == 0 && file[0] != 0 && file[2] != 0:
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case file[0] == 0xFE && file[1] == 0xFF, file[0] == 0 && file[2] == 0 && file[1] != 0 && file[3] != 0:
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	}

	return nil
}
