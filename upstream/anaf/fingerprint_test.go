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

// Every JSON text has a fingerprint, and keeps it when it is indented.
func FuzzFingerprint(f *testing.F) {
	f.Add([]byte(fingerprinted))
	f.Add([]byte(`[1, -2.5e3, "\\", {}, [], {"": null}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := NewRecord(raw).Fingerprint()
		var indented bytes.Buffer
		if json.Indent(&indented, raw, "", "\t") != nil {
			if err == nil {
				t.Errorf("%q is not JSON, and has a fingerprint", raw)
			}
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}

		if f, err := NewRecord(indented.Bytes()).Fingerprint(); err != nil || f != got {
			t.Errorf("%s and %s differ (%v)", raw, indented.Bytes(), err)
		}
	})
}
