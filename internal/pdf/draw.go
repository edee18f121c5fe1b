package pdf

import (
	"strings"
	"unicode"
)

// Colour is a colour in RGB, each part from 0 to 255.
type Colour struct{ R, G, B int }

// The colours of our documents.
var (
	Ink    = Colour{24, 28, 36}
	Faint  = Colour{112, 118, 130}
	Hair   = Colour{206, 210, 216}
	Tint   = Colour{243, 245, 248}
	Accent = Colour{0, 61, 124}
	White  = Colour{255, 255, 255}
)

// Style is regular or bold.
type Style string

// The styles.
const (
	Regular Style = ""
	Bold    Style = "B"
)

// Align is the horizontal alignment of a text in a column.
type Align string

// The alignments.
const (
	AtLeft  Align = "L"
	AtRight Align = "R"
)

// Label is a heading in Romanian and in English.
type Label struct{ Native, English string }

// Text draws one line of text in a column. The size is in points.
func (d *Document) Text(x, y, width float64, align Align, size float64, style Style, c Colour, text string) {
	d.f.SetFont(family, string(style), size)
	d.f.SetTextColor(c.R, c.G, c.B)
	d.f.SetXY(x, y)
	d.f.CellFormat(width, size*0.45, drawable(text), "", 0, string(align)+"M", false, 0, "")
}

// Heading draws a label, with the English text below in a smaller size.
func (d *Document) Heading(x, y, width float64, align Align, l Label) {
	d.Text(x, y, width, align, 7.5, Bold, Ink, l.Native)
	d.Text(x, y+3.4, width, align, 6.5, Regular, Faint, l.English)
}

// Wrap splits a text into the lines of a column.
func (d *Document) Wrap(width, size float64, style Style, text string) []string {
	d.f.SetFont(family, string(style), size)
	return d.f.SplitText(drawable(text), width)
}

// Rule draws a line from margin to margin.
func (d *Document) Rule(y float64, c Colour) {
	d.f.SetDrawColor(c.R, c.G, c.B)
	d.f.SetLineWidth(0.2)
	d.f.Line(Left, y, Right, y)
}

// Fill draws a rectangle without an outline.
func (d *Document) Fill(x, y, width, height float64, c Colour) {
	d.f.SetFillColor(c.R, c.G, c.B)
	d.f.Rect(x, y, width, height, "F")
}

// Watermark draws a text across the page, from the lower left to the upper right.
func (d *Document) Watermark(text string, size float64, c Colour) {
	const x, y = (Left + Right) / 2, 150.0
	d.f.TransformBegin()
	d.f.TransformRotate(45, x, y)
	d.f.SetFont(family, string(Bold), size)
	d.f.SetTextColor(c.R, c.G, c.B)
	d.f.Text(x-d.f.GetStringWidth(text)/2, y, text)
	d.f.TransformEnd()
}

// drawable replaces characters that the fonts cannot draw: control characters, and characters beyond Unicode's Basic
// Multilingual Plane.
func drawable(text string) string {
	return strings.Map(func(r rune) rune {
		if r > 0xFFFF || unicode.IsControl(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}
