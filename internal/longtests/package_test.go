package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestLongTests(t *testing.T) {
	const read = `os.Getenv("RODATA_TEST_LONG") != ""`
	for name, test := range map[string]struct {
		files []string
		want  string
	}{
		"none": {[]string{`func TestA(t *testing.T) {}`}, ""},
		"read in a test": {[]string{`func TestA(t *testing.T) { if ` + read + ` {} }; func TestB(t *testing.T) {}`},
			"TestA"},
		"read in a fuzz": {[]string{`func FuzzA(f *testing.F) { if ` + read + ` {} }`}, "FuzzA"},
		"by a variable": {[]string{`var long = ` + read,
			`func TestA(t *testing.T) { if long {} }; func TestB(t *testing.T) {}`}, "TestA"},
		"by a local name": {[]string{`var long = ` + read, `func TestA(t *testing.T) { long := 1; _ = long }`}, ""},
		"by functions": {[]string{`func wait() { if ` + read + ` {} }; func (x *thing) pause() { wait() }`,
			`func TestA(t *testing.T) { t.Run("", func(t *testing.T) { new(thing).pause() }) }; func TestB(t *testing.T) {}`}, "TestA"},
		"by a variable of another": {[]string{`var long = ` + read + `; var kills = times(long)`,
			`func TestA(t *testing.T) { _ = kills }`}, "TestA"},
		"by init": {[]string{`var kills = 2; func init() { if ` + read + ` { kills = 5 } }; func init() { other = 1 }`,
			`func TestA(t *testing.T) { _ = kills }; func TestB(t *testing.T) { _ = other }`}, "TestA"},
		"with the race detector": {[]string{"//go:build race\n\npackage x\nfunc init() { limit++ }",
			`func TestA(t *testing.T) { _ = limit }; func TestB(t *testing.T) {}`}, "TestA"},
		"on a system": {[]string{"//go:build linux\n\npackage x\nfunc init() { limit++ }",
			`func TestA(t *testing.T) { _ = limit }`}, ""},
		"by all": {[]string{`func TestMain(m *testing.M) { if ` + read + ` {} }`,
			`func TestA(t *testing.T) {}; func TestB(t *testing.T) {}`},
			"TestA TestB"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := fstest.MapFS{}
			for i, source := range test.files {
				if !strings.Contains(source, "package x") {
					source = "package x\n" + source
				}
				folder[string(rune('a'+i))+"_test.go"] = &fstest.MapFile{Data: []byte(source)}
			}

			p, err := parse(folder)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(p.longTests(), " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// In every package that reads the variable, longTests finds tests that depend on it.
func TestNoUseIsMissed(t *testing.T) {
	t.Chdir("../..")
	folders, err := testFolders(".")
	if err != nil {
		t.Fatal(err)
	}

	reading := 0
	for _, folder := range folders {
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}

		reads := slices.ContainsFunc(files, func(e os.DirEntry) bool {
			if !strings.HasSuffix(e.Name(), "_test.go") {
				return false
			}

			source, err := os.ReadFile(folder + "/" + e.Name())
			return err == nil && strings.Contains(string(source), `Getenv("`+variable+`")`)
		})
		if !reads || folder == "internal/longtests" {
			continue
		}

		reading++
		p, err := parse(os.DirFS(folder))
		if err != nil {
			t.Fatal(err)
		}
		if len(p.longTests()) == 0 {
			t.Errorf("%s reads %s, and no test is found that it changes", folder, variable)
		}
	}

	if reading < 10 {
		t.Errorf("only %d packages read %s", reading, variable)
	}
}
