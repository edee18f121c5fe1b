package jsontext

import "testing"

func TestTextIsNotEscaped(t *testing.T) {
	text, err := Encode(map[string]string{"name": "A & B <C>"})
	if want := `{"name":"A & B <C>"}`; err != nil || string(text) != want {
		t.Errorf("got %s (%v), want %s", text, err, want)
	}
}

func TestWhatCannotBeEncodedIsAnError(t *testing.T) {
	if text, err := Encode(func() {}); err == nil {
		t.Errorf("a function is encoded as %s", text)
	}

	defer func() {
		if recover() == nil {
			t.Error("MustEncode does not panic")
		}
	}()
	MustEncode(func() {})
}
