package company

import (
	"testing"

	"github.com/rodata/rodata/internal/jsontext"
)

func TestSelectedFields(t *testing.T) {
	const profile = `{"name":"A \"B\", C","seat":{"city":"Bacău","county":{"code":"BC","name":"BACĂU"}},"none":null,"list":[{"x":1,"y":[2,3]},{"y":[]}],"flag":true}`
	for _, test := range []struct {
		fields []Field
		want   string
	}{
		{[]Field{"flag", "name"}, `{"flag":true,"name":"A \"B\", C"}`},
		{[]Field{"seat.county.code", "seat.city"}, `{"seat":{"county":{"code":"BC"},"city":"Bacău"}}`},
		{[]Field{"seat"}, `{"seat":{"city":"Bacău","county":{"code":"BC","name":"BACĂU"}}}`},
		{[]Field{"list.y", "none.x", "absent"}, `{"list":[{"y":[2,3]},{"y":[]}],"none":null}`},
		{nil, profile},
	} {
		if got := appendSelected(nil, selectionOf(test.fields), []byte(profile)); string(got) != test.want {
			t.Errorf("%q selects\n%s, want\n%s", test.fields, got, test.want)
		}
	}

	reader := newObjectReader([]byte(profile))
	for field, want := range map[string]string{
		"flag": "true", "seat.county.code": `"BC"`, "none": "null", "none.x": "", "absent": "", "absent.x": "",
		"name.x": "",
		"list.x": "[1,null]", "list.y": "[[2,3],[]]",
	} {
		if got := string(reader.at(field)); got != want {
			t.Errorf("%s is %s, want %s", field, got, want)
		}
	}
}

// BenchmarkSelected takes the fields of a search result out of a profile.
func BenchmarkSelected(b *testing.B) {
	fields := make([]Field, len(SummaryFields))
	for i, name := range SummaryFields {
		fields[i] = Field(name)
	}

	tree, profile := selectionOf(fields), jsontext.MustEncode(new(Company))
	b.ReportAllocs()
	for b.Loop() {
		appendSelected(nil, tree, profile)
	}
}

func TestValuesInFields(t *testing.T) {
	if n := leaves([]Field{"seat", "name", "vatPayer"}); n < 10 || n > 15 {
		t.Errorf("a seat, a name and a flag are %d values", n)
	}
}
