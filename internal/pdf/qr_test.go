package pdf

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

const address = "https://api.example.ro/v1/receipts/rcp_abcdefghijklmnopqrstuvwxyz"

// An independent reader (jsQR 1.4.0) decoded the golden matrix to the same address.
func TestMatrix(t *testing.T) {
	code := testkit.Must(matrix(address))
	var got strings.Builder
	for _, row := range code {
		for _, black := range row {
			got.WriteByte(" #"[bit(black)])
		}
		got.WriteByte('\n')
	}

	testkit.Golden(t, "testdata/qr.txt", got.String())
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestQRDrawsEveryBlackModule(t *testing.T) {
	draw := func(text string) []byte {
		d := New(Options{Date: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)})
		d.AddPage()
		testkit.NoError(t, d.QR(Left, Top, 30, text))

		return testkit.Must(d.Bytes())
	}
	if !bytes.Equal(draw(address), draw(address)) || bytes.Equal(draw(address), draw(address+"2")) {
		t.Error("the drawing is not determined by the text")
	}
}

func TestTextsThatAreTooLongForQR(t *testing.T) {
	if err := New(Options{}).QR(0, 0, 30, strings.Repeat("x", 3000)); err == nil {
		t.Error("3000 characters were drawn")
	}
}
