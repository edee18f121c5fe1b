package ask

import (
	"bytes"
	"os"
	"testing"

	"github.com/rodata/rodata/testkit"
)

func TestGrid(t *testing.T) {
	g := grid{head: []string{"NAME", "CITY", "VAT"}}
	g.add(cell{text: "Țăndărică"}, cell{text: "Târgu Mureș"}, cell{"yes", good})
	g.add(cell{text: "有限公司"}, cell{text: "Iași"}, cell{"no", bad})
	g.add(cell{text: "a\u0306b"}, cell{}, cell{})
	g.add(cell{text: "short row"})
	const want = `NAME       CITY         VAT
Țăndărică  Târgu Mureș  yes
有限公司   Iași         no
` + "a\u0306b" + `
short row
`
	var out bytes.Buffer
	if err := g.print(&out, false); err != nil || out.String() != want {
		t.Errorf("got %v\n%s", err, &out)
	}
}

func TestColumns(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "ăîșțâ": 5, "a\u0306": 1, "公司": 4, "ＡＢ": 4, "é": 1,
		"a\u200bb": 2} {
		if got := columns(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
}

// Colours are for terminals, and can be forced.
func TestColours(t *testing.T) {
	if got := paint("no", bad, true); got != "\x1b[31mno\x1b[0m" {
		t.Errorf("got %q", got)
	}

	for _, plain := range []string{paint("no", bad, false), paint("no", neutral, true)} {
		if plain != "no" {
			t.Errorf("got %q", plain)
		}
	}

	if hasColours(new(bytes.Buffer)) {
		t.Error("a buffer has colours")
	}

	terminal, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // a character device, like a terminal
	testkit.NoError(t, err)
	defer terminal.Close()

	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	if !hasColours(terminal) {
		t.Error("a terminal has no colours")
	}

	t.Setenv("NO_COLOR", "1")
	if hasColours(terminal) {
		t.Error("NO_COLOR changes nothing")
	}
}

func TestBar(t *testing.T) {
	left := 75
	if got := barLine(50, 200, &left); got != "[=======                       ] 50 of 200, 1m15s left" {
		t.Errorf("got %q", got)
	}
	if got := barLine(0, 0, nil); got != "[                              ] 0 of 0" {
		t.Errorf("got %q", got)
	}

	var out bytes.Buffer
	b := newBar(&out)
	b.show(1, 2, nil)
	b.end()
	if out.Len() != 0 {
		t.Errorf("in a file it draws %q", &out)
	}
}
