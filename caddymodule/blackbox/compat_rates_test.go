package blackbox

import (
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// cube is a day of fixings, without white space between elements.
var (
	cube   = regexp.MustCompile(`(?s)<Cube .*?</Cube>`)
	spaces = regexp.MustCompile(`>\s+<`)
)

func cubes(document string) []string {
	return cube.FindAllString(spaces.ReplaceAllString(document, "><"), -1)
}

// rateFiles compares our files with the central bank's, cube by cube.
func rateFiles(t *testing.T, g *gateway) {
	for _, path := range []string{
		"/nbrfxrates.xml", "/nbrfxrates10days.xml", "/files/xml/years/nbrfxrates2005.xml",
		"/files/xml/years/nbrfxrates2024.xml", "/files/xml/years/nbrfxrates2026.xml",
	} {
		res, err := http.Get(g.registries.BNR.URL + path)
		testkit.NoError(t, err)

		theirs, err := io.ReadAll(res.Body)
		res.Body.Close()
		testkit.NoError(t, err)

		for _, base := range []string{"", "/legacy"} {
			ours := g.get(t, base+path)
			if ours.StatusCode != 200 || ours.Header.Get("Content-Type") != "text/xml" {
				t.Fatalf("%s: %d %.200s", base+path, ours.StatusCode, ours.body)
			}
			if got, want := cubes(string(ours.body)), cubes(string(theirs)); len(want) == 0 ||
				!slices.Equal(got, want) {
				t.Errorf("%s has %d cubes other than the bank's %d", base+path, len(got), len(want))
			}
			if old := strings.Contains(string(ours.body), `xmlns="http://www.bnr.ro/xsd"`); old != (base != "") {
				t.Errorf("%s: in the old namespace: %v", base+path, old)
			}
		}
	}

	for _, path := range []string{"/files/xml/years/nbrfxrates2004.xml", "/legacy/", "/files/xml/years/"} {
		if a := g.get(t, path); a.StatusCode != 404 || a.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.Header.Get("Content-Type"))
		}
	}
}
