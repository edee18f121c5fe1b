package pdf

import (
	"fmt"

	"github.com/boombuler/barcode/qr"
)

// QR draws a text as a QR code in a square of a given width, including its quiet zone of 4 modules. Up to a quarter of
// it may be damaged.
func (d *Document) QR(x, y, width float64, text string) error {
	code, err := matrix(text)
	if err != nil {
		return err
	}

	const quiet = 4
	module := width / float64(len(code)+2*quiet)
	for row := range code {
		for first := 0; first < len(code); first++ {
			end := first
			for end < len(code) && code[row][end] {
				end++
			}
			if end == first {
				continue
			}

			// A run of black modules is drawn as one rectangle, because hairlines between separate squares would
			// confuse scanners.
			d.Fill(x+float64(first+quiet)*module, y+float64(row+quiet)*module, float64(end-first)*module, module, black)
			first = end
		}
	}

	return nil
}

var black = Colour{0, 0, 0}

// matrix returns the modules of a QR code, row by row; true is black.
func matrix(text string) ([][]bool, error) {
	code, err := qr.Encode(text, qr.Q, qr.Auto)
	if err != nil {
		return nil, fmt.Errorf("encoding a QR code: %w", err)
	}

	size := code.Bounds().Dx()
	rows := make([][]bool, size)
	for y := range rows {
		rows[y] = make([]bool, size)
		for x := range rows[y] {
			red, _, _, _ := code.At(x, y).RGBA()
			rows[y][x] = red == 0
		}
	}

	return rows, nil
}
