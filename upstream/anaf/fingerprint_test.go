package anaf

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

func fingerprint(t testing.TB, raw string) [16]byte {
	t.Helper()
	f, err := NewRecord([]byte(raw)).Fingerprint()
	testkit.NoError(t, err)

	return f
}

const fingerprinted = `{"date_generale":{"cui":1,"data":"2026-11-20","denumire":"A \"B\" SRL","iban":null},` +
	`"inregistrare_scop_Tva":{"scpTVA":true,"perioade_TVA":[{"from":"1","data":"x"},{"from":"2"}]}}`

// The fingerprint depends on the content of a record, not on its form or the requested day.
func TestFingerprint(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		same     bool
	}{
		"another day":          {`"data":"2026-11-20"`, `"data":"2026-11-21"`, true},
		"no day":               {`"data":"2026-11-20",`, ``, true},
		"day moved":            {`"cui":1,"data":"2026-11-20"`, `"data":"2026-11-20","cui":1`, true},
		"white space":          {`:`, " :\n\t", true},
		"another name":         {`A \"B\"`, `A \"C\"`, false},
		"another type":         {`"cui":1`, `"cui":"1"`, false},
		"another member":       {`"iban"`, `"fax"`, false},
		"new member":           {`"iban":null`, `"iban":null,"nou":null`, false},
		"other status":         {`true`, `false`, false},
		"data of a period":     {`"data":"x"`, `"data":"y"`, false},
		"order of periods":     {`{"from":"1","data":"x"},{"from":"2"}`, `{"from":"2"},{"from":"1","data":"x"}`, false},
		"member moved outside": {`,"iban":null}`, `},"iban":null`, false},
		"period less":          {`,{"from":"2"}`, ``, false},
		"nested": {`[{"from":"1","data":"x"},{"from":"2"}]`, `[[{"from":"1","data":"x"},{"from":"2"}]]`,
			false},
	} {
		changed := strings.ReplaceAll(fingerprinted, c.old, c.new)
		if changed == fingerprinted {
			t.Fatalf("%s: nothing was replaced", name)
		}
		if same := fingerprint(t, changed) == fingerprint(t, fingerprinted); same != c.same {
			t.Errorf("%s: same is %t", name, same)
		}
	}
}

func TestFingerprintOfWhatIsNoRecord(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "cut": `{"a":1`, "no colon": `{"a" 1}`, "no comma": `{"a":1 "b":2}`, "open string": `{"a":"\"`,
		"two": `{} {}`, "no value": `{"a":}`, "too deep": strings.Repeat("[", 100_000),
	} {
		if _, err := NewRecord([]byte(text)).Fingerprint(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Every JSON text has a fingerprint, and keeps it when its members are reordered.
func FuzzFingerprint(f *testing.F) {
	f.Add([]byte(fingerprinted))
	f.Add([]byte(`[1, -2.5e3, "\\", {}, [], {"": null}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := NewRecord(raw)
		got, err := r.Fingerprint()
		var value any
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		if !json.Valid(raw) || decoder.Decode(&value) != nil || len(raw) > 1000 {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}

		// Some strings that encoding/json encodes differently, and repeated members, cannot be compared.
		again, err := json.Marshal(value)
		var compact bytes.Buffer
		if json.Compact(&compact, raw) != nil || err != nil || compact.Len() != len(again) {
			return
		}

		for _, c := range compact.Bytes() {
			if c == '\\' {
				return
			}
		}

		if f, err := NewRecord(again).Fingerprint(); err != nil || f != got {
			t.Errorf("%s and %s differ (%v)", raw, again, err)
		}
	})
}
