package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is embedded is what the tables say: after a change of either, run
// "go generate ./upstream/...".
func TestEmbeddedTextsAreWhatTheTablesSay(t *testing.T) {
	for name, generate := range nomenclatures {
		t.Run(name, func(t *testing.T) {
			want, err := generate(filepath.Join("..", "..", name, "data"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join("..", "..", name, name+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s.txt differs from what the tables make; run go generate ./upstream/...", name)
			}
		})
	}
}

func TestTablesThatContradictThemselvesAreRefused(t *testing.T) {
	const (
		rev3     = "code\tparent\tname_ro\tname_en\nA\t\tExemplu\tExample\n01\tA\tExemplu\tExample\n"
		counties = "id\tcode\tsiruta\tname\n1\tAB\t10\tAlba\n"
		header   = "siruta\tparent\tkind\tname\tanaf_code\tanaf_alt\tdup\n"
	)
	cases := []struct {
		name, nomenclature string
		tables             map[string]string
		says               string
	}{
		{"wrong parent", "caen", map[string]string{"rev3.tsv": strings.Replace(rev3, "01\tA", "01\tB", 1)}, `the parent of 01`},
		{"unmapped class", "caen", map[string]string{"rev3.tsv": rev3, "rev2.tsv": "code\n0111\n"}, "what became of 0111"},
		{"class that Rev.3 lacks", "caen", map[string]string{"rev3.tsv": rev3, "rev2_rev3.tsv": "rev2\trev3\n0111\t0119\n"}, "0119"},
		{"cedilla", "caen", map[string]string{"rev3.tsv": strings.Replace(rev3, "Exemplu", "Pe\u015fti", 1)}, "cedilla"},
		{"short row", "caen", map[string]string{"rev3.tsv": rev3 + "011\t01\n"}, "line 4: 2 fields instead of 4"},
		{"orphan", "siruta", map[string]string{"counties.tsv": counties, "localities.tsv": header + "100\t99\tvillage\tExemplu\t1\t\t\n"}, "100 does not follow 99"},
		{"unknown kind", "siruta", map[string]string{"counties.tsv": counties, "localities.tsv": header + "100\t10\thamlet\tExemplu\t1\t\t\n"}, `"hamlet"`},
		{"missing table", "siruta", nil, "counties.tsv"},
	}
	empty := map[string]string{"rev2.tsv": "code\n", "rev2_rev3.tsv": "rev2\trev3\n"}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, tables := range []map[string]string{empty, c.tables} {
				for name, text := range tables {
					if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			err := run([]string{c.nomenclature, dir, filepath.Join(dir, "out.txt")})
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %s", err, c.says)
			}
		})
	}
}
