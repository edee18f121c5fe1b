package upload

import (
	"bufio"
	"encoding/xml"
	"io"
	"strconv"
	"strings"

	"github.com/rodata/rodata/op/problem"
)

const (
	// maxDepth is the maximum depth of elements; sheets need 7.
	maxDepth = 32
	// maxToken is the maximum size of an XML token in bytes: a text of a cell, each character of which may take 6 bytes
	// as &quot; does, or an element with its attributes.
	maxToken = 6*maxCell + 4<<10
	// maxAttributes is the maximum number of attributes of an element; rows have 11. The parser holds the namespaces
	// of all elements around a token.
	maxAttributes = 100
)

// part reads an XML file of a workbook. It bounds what the parser holds in memory at a time, the size of a token and
// the depth, and spends the budget.
type part struct {
	workbook *workbook
	file     io.ReadCloser
	in       *bufio.Reader
	xml      *xml.Decoder
	depth    int
	left     int // bytes that the next token may take
}

// open unpacks a file of the archive.
func (w *workbook) open(name string) (*part, error) {
	f := w.files[name]
	if f == nil {
		return nil, refuse(problem.Malformed, workbookForm, "the file is not a workbook: it has no %s", name)
	}
	if f.UncompressedSize64 > uint64(w.unpacked) {
		return nil, tooMuchUnpacked()
	}

	file, err := f.Open()
	if err != nil {
		return nil, damagedWorkbook()
	}

	p := &part{workbook: w, file: file}
	p.in = bufio.NewReaderSize(p, 16<<10)
	p.xml = xml.NewDecoder(tokenReader{p})
	return p, nil
}

func (p *part) close() { _ = p.file.Close() } // it was only read

// Read unpacks bytes within the workbook's bound.
func (p *part) Read(b []byte) (int, error) {
	n, err := p.file.Read(b)
	if p.workbook.unpacked -= int64(n); p.workbook.unpacked < 0 {
		return 0, tooMuchUnpacked()
	}
	return n, err
}

// tokenReader gives the parser the bytes of a token. The parser does not read ahead from an io.ByteReader.
type tokenReader struct{ *part }

// ReadByte implements io.ByteReader.
func (r tokenReader) ReadByte() (byte, error) {
	if r.left--; r.left < 0 {
		return 0, refuse(problem.TooLong, workbookForm,
			"a text or an element of the workbook has more than %d bytes; send the table as CSV", maxToken)
	}
	return r.in.ReadByte()
}

// next returns the next token, which is valid until the following call, or io.EOF.
func (p *part) next() (xml.Token, error) {
	p.left = maxToken
	t, err := p.xml.Token()
	switch {
	case err == nil:
	case err == io.EOF: //nolint:errorlint // the parser returns it unwrapped, and wraps an unexpected one
		return nil, err
	case isProblem(err):
		return nil, err
	default:
		return nil, damagedWorkbook()
	}

	steps := 1 + (maxToken-p.left)/stepBytes
	switch t := t.(type) {
	case xml.StartElement:
		steps += len(t.Attr)
		if p.depth++; p.depth > maxDepth || len(t.Attr) > maxAttributes {
			return nil, refuse(problem.TooMany, workbookForm, "the workbook has elements nested more than %d deep, or "+
				"with more than %d attributes", maxDepth, maxAttributes)
		}
	case xml.EndElement:
		p.depth--
	}

	return t, p.workbook.budget.step(steps)
}

// text reads up to the end of the current element, and returns the text of its elements t: a text with several formats
// has one for each part. If all is set, it returns all text of the element. Phonetic hints (rPh) are left out.
func (p *part) text(all bool) (string, error) {
	var text []byte
	end, isText, hint := p.depth-1, all, 0
	for p.depth > end {
		t, err := p.next()
		if err != nil {
			return "", err
		}

		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "rPh":
				hint = p.depth
			case "t":
				isText = hint == 0
			}
		case xml.EndElement:
			isText = isText && all
			if p.depth < hint {
				hint = 0
			}
		case xml.CharData:
			if !isText {
				continue
			}
			if text = append(text, t...); len(text) > maxToken {
				return "", refuse(problem.TooLong, workbookForm, "a cell of the workbook has more than %d characters",
					maxCell)
			}
		}
	}

	return unescape(string(text)), nil
}

// unescape decodes the characters that XML cannot contain, as _x000D_ (ECMA-376 part 1, 22.9.2.19).
func unescape(text string) string {
	at := strings.Index(text, "_x")
	if at < 0 {
		return text
	}

	var out strings.Builder
	for ; at >= 0; at = strings.Index(text, "_x") {
		out.WriteString(text[:at])
		text = text[at:]
		const length = len("_x000D_")
		if len(text) >= length && text[length-1] == '_' {
			if code, err := strconv.ParseUint(text[2:length-1], 16, 16); err == nil {
				out.WriteRune(rune(code))
				text = text[length:]
				continue
			}
		}

		out.WriteString(text[:2])
		text = text[2:]
	}

	return out.String() + text
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}

	return ""
}

// number parses a number that is not negative; -1 for other texts.
func number(text string) int {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 31)
	if err != nil {
		return -1
	}
	return int(n)
}

func damagedWorkbook() error {
	return refuse(problem.Malformed, workbookForm,
		"the workbook is damaged; open it in a spreadsheet program, and save it again")
}

// tooMuchUnpacked is the problem of a zip bomb.
func tooMuchUnpacked() error {
	return refuse(problem.TooLong, workbookForm,
		"the workbook grows to more than %d times its size, or %d MiB, when it is unpacked; send the table as CSV",
		maxExpansion, maxUnpacked>>20)
}
