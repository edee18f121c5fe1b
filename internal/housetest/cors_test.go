package housetest

import (
	"io/fs"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/testkit"
)

// readHeader matches the code that reads a header of a request.
var readHeader = regexp.MustCompile(`\br\.Header(?:\.Get\(|\.Values\(|\[)"([A-Za-z-]+)"`)

// A preflight allows every header that a channel reads, except those that only browsers or proxies set.
func TestPreflightsAllowAllHeadersThatAreRead(t *testing.T) {
	t.Chdir(root)
	preflight := httptest.NewRecorder()
	web.AllowAnyPage(preflight.Header())
	web.AnswerOptions(preflight, "GET")
	allowed := strings.Split(preflight.Header().Get("Access-Control-Allow-Headers"), ", ")
	byOthers := []string{"Accept-Encoding", "Access-Control-Request-Method", "Content-Encoding", "Cookie", "Expect",
		"Origin", "Referer", "Sec-Fetch-Mode", "Sec-Fetch-Site", "User-Agent", "X-Forwarded-Proto"}
	seen := 0
	for _, channel := range []string{"rest", "mcp", "compat", "api", "account/auth", "account/oauth"} {
		err := fs.WalkDir(os.DirFS(channel), ".", func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}

			text, err := os.ReadFile(channel + "/" + path)
			for _, found := range readHeader.FindAllStringSubmatch(string(text), -1) {
				seen++
				if !slices.ContainsFunc(slices.Concat(allowed, byOthers), func(name string) bool {
					return strings.EqualFold(name, found[1])
				}) {
					t.Errorf("%s/%s reads %s, which a preflight does not allow", channel, path, found[1])
				}
			}

			return err
		})
		testkit.NoError(t, err)
	}

	if seen < 20 {
		t.Errorf("only %d places read headers", seen)
	}
}
