package compat

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestOnlyTheDayIsReplaced(t *testing.T) {
	for name, c := range map[string][2]string{
		"as sent": {
			`{"date_generale":{"cui":1590082,"data":"2026-11-19","denumire":"EXEMPLU ŞI FIII"},"stare_inactiv":{"data":"x"}}`,
			`{"date_generale":{"cui":1590082,"data":"2026-11-22","denumire":"EXEMPLU ŞI FIII"},"stare_inactiv":{"data":"x"}}`,
		},
		"other order": {
			`{"stare_inactiv":{"data":"x"},"nou":[{"date_generale":1}],"date_generale":{"denumire":"data","data":"2026-11-19"}}`,
			`{"stare_inactiv":{"data":"x"},"nou":[{"date_generale":1}],"date_generale":{"denumire":"data","data":"2026-11-22"}}`,
		},
		"white space": {
			"{ \"date_generale\" :\r\n\t{ \"data\" :  \"2026-11-19\" , \"cui\": 1 } }",
			"{ \"date_generale\" :\r\n\t{ \"data\" :  \"2026-11-22\" , \"cui\": 1 } }",
		},
		"empty": {`{"date_generale":{"data":""}}`, `{"date_generale":{"data":"2026-11-22"}}`},
		"null":  {`{"date_generale":{"data":null}}`, `{"date_generale":{"data":"2026-11-22"}}`},
		"escaped name": {`{"date_gener\u0061le":{"d\u0061ta":"a\"b"}}`,
			`{"date_gener\u0061le":{"d\u0061ta":"2026-11-22"}}`},
		"large number": {`{"date_generale":{"n":12345678901234567890.0100,"data":"x"}}`,
			`{"date_generale":{"n":12345678901234567890.0100,"data":"2026-11-22"}}`},
		"no day":               {`{"date_generale":{"cui":1}}`, `{"date_generale":{"cui":1}}`},
		"no general data":      {`{"cui":1,"data":"x"}`, `{"cui":1,"data":"x"}`},
		"general data is text": {`{"date_generale":"x"}`, `{"date_generale":"x"}`},
		"broken":               {`{"date_generale":{"data":`, `{"date_generale":{"data":`},
	} {
		before := []byte(c[0])
		if got := withDay(before, "2026-11-22"); string(got) != c[1] {
			t.Errorf("%s: got %s, want %s", name, got, c[1])
		}
		if !bytes.Equal(before, []byte(c[0])) {
			t.Errorf("%s: the record itself was changed", name)
		}
	}
}

// FuzzRecord verifies that a record stays valid, and that its length changes at most by the length of the day.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(record))
	f.Add([]byte(`{"date_generale":{"data":null},"date_generale":{}}`))
	f.Fuzz(func(t *testing.T, before []byte) {
		after := withDay(before, "2026-11-22")
		if json.Valid(before) && !json.Valid(after) {
			t.Errorf("%s became %s", before, after)
		}
		if !bytes.Equal(before, after) && !bytes.Contains(after, []byte(`"2026-11-22"`)) {
			t.Errorf("%s became %s", before, after)
		}
	})
}
