package upload

import (
	"errors"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// text is a text file in any encoding.
type text struct {
	file       *io.SectionReader
	encoding   encoding.Encoding
	hasNewline bool
}

// openText finds the encoding of a file.
func (r *reader) openText() (*text, error) {
	t := &text{file: r.file}
	signs, err := r.countSigns()
	t.hasNewline = signs.bytes['\n'] > 0
	t.encoding = signs.encoding()
	return t, err
}

// reader returns the text in UTF-8, without a byte order mark. What cannot be decoded becomes U+FFFD.
func (t *text) reader() io.Reader {
	return t.encoding.NewDecoder().Reader(io.NewSectionReader(t.file, 0, t.file.Size()))
}

// signs are the counts by which an encoding is recognised.
type signs struct {
	start       []byte
	bytes       [256]int
	runes, bits int // characters of several bytes in UTF-8, and bytes that are not UTF-8
}

func (r *reader) countSigns() (s signs, err error) {
	buffer, kept := make([]byte, 64<<10), 0
	for at := int64(0); ; {
		n, err := r.file.ReadAt(buffer[kept:], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return s, err
		}
		if at += int64(n); s.start == nil {
			s.start = append([]byte{}, buffer[:min(n, 4)]...)
		}
		for _, c := range buffer[kept : kept+n] {
			s.bytes[c]++
		}

		read := buffer[:kept+n]
		isEnd := err != nil
		for len(read) > 0 && (isEnd || utf8.FullRune(read)) {
			c, size := utf8.DecodeRune(read)
			switch {
			case c == utf8.RuneError && size == 1:
				s.bits++
			case size > 1:
				s.runes++
			}
			read = read[size:]
		}

		if isEnd {
			return s, nil
		}
		kept = copy(buffer, read)
		if err := r.budget.step(turnSteps); err != nil {
			return s, err
		}
	}
}

// The bytes of the Romanian letters outside ASCII in the encodings of Windows and of DOS, except 0xEE, which is such a
// letter in both.
const (
	windowsLetters = "\xE3\xE2\xBA\xFE\xC3\xC2\xCE\xAA\xDE" // ăâşţĂÂÎŞŢ
	dosLetters     = "\xC7\x83\x8C\xAD\xC6\xB6\xD7\xB8\xDD" // ăâîşĂÂÎŞŢ
)

// encoding returns the encoding. A file that is neither UTF-8 nor UTF-16 is read as Windows-1250, the encoding of
// Romanian programs for Windows, or as CP852, that of programs for DOS. A few bytes that are not UTF-8 do not make a
// file anything else.
func (s *signs) encoding() encoding.Encoding {
	if wide := utf16Of(s.start); wide != nil {
		return wide
	}
	if s.bits <= s.runes {
		return unicode.UTF8BOM
	}

	windows, dos := 0, 0
	for i := range len(windowsLetters) {
		windows += s.bytes[windowsLetters[i]]
		dos += s.bytes[dosLetters[i]]
	}
	if dos > windows {
		return charmap.CodePage852
	}
	return charmap.Windows1250
}

// utf16Of returns the encoding of a file in UTF-16, or nil. A file without a byte order mark counts as UTF-16 if its
// first two characters are ASCII.
func utf16Of(start []byte) encoding.Encoding {
	if len(start) < 4 {
		return nil
	}

	switch {
	case start[0] == 0xFF && start[1] == 0xFE, start[1] == 0 && start[3] == 0 && start[0] != 0 && start[2] != 0:
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case start[0] == 0xFE && start[1] == 0xFF, start[0] == 0 && start[2] == 0 && start[1] != 0 && start[3] != 0:
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	}

	return nil
}
