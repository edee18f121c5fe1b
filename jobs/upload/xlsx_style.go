package upload

import (
	"strings"
)

// readStyles reads which cell styles display days (ECMA-376 part 1, 18.8).
func (w *workbook) readStyles() error {
	var styles struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := w.decode("xl/styles.xml", &styles); err != nil {
		return err
	}

	codes := make(map[int]string, len(styles.Formats))
	for _, f := range styles.Formats {
		codes[f.ID] = f.Code
	}

	w.dates = make([]bool, len(styles.Cells))
	for i, c := range styles.Cells {
		w.dates[i] = isDateFormat(c.Format, codes[c.Format])
	}

	return nil
}

// isDateFormat reports whether a number format displays days or times. It knows built-in formats by their ids (ECMA-376
// part 1, 18.8.30), and others by the letters of their code outside quotation marks and brackets.
func isDateFormat(id int, code string) bool {
	switch {
	case id >= 14 && id <= 22, id >= 27 && id <= 36, id >= 45 && id <= 47, id >= 50 && id <= 58:
		return true
	case code == "" || strings.EqualFold(code, "General"):
		return false
	}

	inQuotes, inBrackets, escaped := false, false, false
	for _, c := range strings.ToLower(code) {
		switch {
		case escaped:
			escaped = false
		case c == '\\' || c == '_' || c == '*':
			escaped = true
		case c == '"':
			inQuotes = !inQuotes
		case inQuotes:
		case c == '[':
			inBrackets = true
		case c == ']':
			inBrackets = false
		case !inBrackets && strings.ContainsRune("ymdhs", c):
			return true
		}
	}

	return false
}
