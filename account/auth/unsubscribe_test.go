package auth

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/testkit"
)

// digests returns a site with the digests of one watch-list, and their state.
func digests(t *testing.T) (b *browser, ended *bool) {
	ended = new(bool)
	unsubscribe := func(_ context.Context, token string, end bool) (string, error) {
		if token != "wl_a.proof" {
			return "", account.ErrNoVerification
		}
		*ended = *ended || end
		return "Furnizori <1>", nil
	}
	return newSite(t, func(o *Options) { o.Unsubscribe = unsubscribe }).browser(t), ended
}

// The link in a digest opens a page in the language of the mail, as often as a scanner likes. Its button ends them.
func TestDigestsEndByTheButton(t *testing.T) {
	for language, c := range map[string]struct{ heading, ended string }{
		"ro": {"Dezabonarea de la acest rezumat", "V-ați dezabonat"},
		"en": {"Unsubscribe from this digest", "You are unsubscribed"},
	} {
		b, ended := digests(t)
		other := map[string]string{"ro": "en", "en": "ro"}[language]
		b.header.Set("Accept-Language", other)

		page := b.get("/unsubscribe?token=wl_a.proof&lang=" + language)
		if page.StatusCode != 200 || *ended || !strings.Contains(page.text, "<h1>"+c.heading) ||
			!strings.Contains(page.text, "Furnizori &lt;1&gt;") || strings.Count(page.text, "<button") != 1 {
			t.Errorf("%s: ended %t by the page %d %s", language, *ended, page.StatusCode, page.text)
		}
		if got := b.press(page); got.StatusCode != 200 || !*ended || !strings.Contains(got.text, "<h1>"+c.ended) {
			t.Errorf("%s: ended %t by the button: %d %s", language, *ended, got.StatusCode, got.text)
		}
	}
}

// Mail programs post one field to the address, without cookies, and are not redirected (RFC 8058).
func TestDigestsEndWithOneClick(t *testing.T) {
	b, ended := digests(t)
	r := httptest.NewRequest("POST", siteURL+UnsubscribePath+"?token=wl_a.proof",
		strings.NewReader("List-Unsubscribe=One-Click"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if got := b.send(r); got.StatusCode != 200 || !*ended {
		t.Errorf("ended %t: %d %s", *ended, got.StatusCode, got.text)
	}
}

func TestWrongLinkOfADigestIsExplained(t *testing.T) {
	b, ended := digests(t)
	for _, query := range []string{"", "?token=", "?token=wl_a", "?token=wl_a.proof2"} {
		for _, got := range []reply{b.get("/unsubscribe" + query), b.postBody("/unsubscribe"+query, "text/plain", "")} {
			if got.StatusCode != 404 || *ended || !strings.Contains(got.text, "its watch-list no longer exists") {
				t.Errorf("%q: ended %t: %d %s", query, *ended, got.StatusCode, got.text)
			}
		}
	}

	head := httptest.NewRequest("HEAD", siteURL+UnsubscribePath+"?token=wl_a.proof", nil)
	testkit.Equal(t, b.send(head).StatusCode, 404, "HEAD, as other links")
	testkit.Equal(t, *ended, false)
}
