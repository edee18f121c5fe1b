package ask

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// cell is a text in a table, with its tone.
type cell struct {
	text string
	tone tone
}

// tone is the meaning of a text, which a terminal shows as a colour.
type tone string

// The tones, as ANSI colours.
const (
	neutral tone = ""
	good    tone = "32"
	bad     tone = "31"
	doubt   tone = "33"
	quiet   tone = "2"
	strong  tone = "1"
)

// grid is a table that is printed in aligned columns.
type grid struct {
	head []string // none for a list of names and values
	rows [][]cell
}

func (t *grid) add(cells ...cell) { t.rows = append(t.rows, cells) }

func plain(texts ...string) (cells []cell) {
	for _, text := range texts {
		cells = append(cells, cell{text: text})
	}
	return cells
}

// gap separates columns.
const gap = 2

// print writes the table, in colours if wanted.
func (t *grid) print(out io.Writer, colours bool) error {
	rows := t.rows
	if t.head != nil {
		head := make([]cell, len(t.head))
		for i, name := range t.head {
			head[i] = cell{name, quiet}
		}

		rows = append([][]cell{head}, rows...)
	}

	widths := columnWidths(rows)
	var line strings.Builder
	for _, row := range rows {
		line.Reset()
		for i, c := range row {
			line.WriteString(paint(c.text, c.tone, colours))
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-columns(c.text)+gap))
			}
		}

		if _, err := fmt.Fprintln(out, strings.TrimRight(line.String(), " ")); err != nil {
			return err
		}
	}

	return nil
}

func columnWidths(rows [][]cell) (widths []int) {
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], columns(c.text))
		}
	}

	return widths
}

// columns returns the width of a text on a terminal: wide letters take two columns, combining marks none.
func columns(text string) (n int) {
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case width.LookupRune(r).Kind() == width.EastAsianWide, width.LookupRune(r).Kind() == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}

	return n
}

func paint(text string, t tone, colours bool) string {
	if !colours || t == neutral || text == "" {
		return text
	}
	return "\x1b[" + string(t) + "m" + text + "\x1b[0m"
}

// hasColours reports whether colours are shown: on a terminal, unless NO_COLOR (https://no-color.org) is set.
func hasColours(out io.Writer) bool {
	return IsTerminal(out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// IsTerminal reports whether a writer is a terminal.
func IsTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}

	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
