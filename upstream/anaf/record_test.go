package anaf

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
)

// sentRecord returns a record as the tax authority sends it, with its order of members and its spaces.
func sentRecord(tb testing.TB) []byte {
	tb.Helper()
	var b bytes.Buffer
	testkit.NoError(tb, json.Compact(&b, inventedCompany))

	return bytes.Replace(b.Bytes(), []byte(`"cui":0`), []byte(`"cui" : `+invented.CUI(1).String()+`,"nou":[1 , 2]`), 1)
}

func TestRecordIsKeptByteForByte(t *testing.T) {
	sent := sentRecord(t)
	for name, body := range map[string]string{
		"in a list": `{"found":[ ` + string(sent) + ` ],"notFound":[]}`,
		"alone":     `{"cod":200,"found":` + string(sent) + `}`,
	} {
		results, err := answering(t, 200, body).Profiles(t.Context(), asOfToday(invented.CUI(1)))
		if err != nil {
			t.Fatal(name, err)
		}

		text, err := json.Marshal(results[today(invented.CUI(1))].Record)
		if err != nil {
			t.Fatal(name, err)
		}

		stored := new(Record)
		if err := json.Unmarshal(text, stored); err != nil {
			t.Fatal(name, err)
		}
		if raw, err := stored.Raw(); err != nil || !bytes.Equal(raw, sent) {
			t.Errorf("%s: got %s, %v", name, raw, err)
		}

		c, err := stored.Company(nil)
		if err != nil || c.Name != "INVENTATA ȘI FIICELE S.R.L." || c.Record != stored {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
		if text, err := json.Marshal(c); err != nil || strings.Contains(strings.ToLower(string(text)), `"record"`) {
			t.Errorf("%s: %s, %v", name, text, err)
		}
		if len(text) > 1000 {
			t.Errorf("%s: a record of %d bytes takes %d", name, len(sent), len(text))
		}
	}
}

func TestRecordThatIsDamaged(t *testing.T) {
	whole := pack([]byte("{}"))
	for name, packed := range map[string][]byte{
		"empty": {}, "another version": append([]byte{2}, whole[1:]...), "cut": whole[:len(whole)-2],
		"no length": {packing},
		"too long":  append([]byte{packing, 0xff, 0xff, 0xff, 0xff, 0x0f}, whole[2:]...),
	} {
		if _, err := (&Record{packed: packed}).Company(nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestDictionaryIsFrozen guards stored records: see dictionary.
func TestDictionaryIsFrozen(t *testing.T) {
	const want = "63bfb510e5b1520b0bb4afec94840502059477fe9a6a63a3c742c280a6d745a3"
	if sum := sha256.Sum256(dictionary); hex.EncodeToString(sum[:]) != want {
		t.Errorf("the dictionary changed (%x): records stored with it cannot be read any more", sum)
	}
}
