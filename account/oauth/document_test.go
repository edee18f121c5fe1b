package oauth

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
)

func TestDocumentsThatAreRefused(t *testing.T) {
	const redirects = `"redirect_uris":["https://app.example/callback?way=1"]`
	host := programs(t, func(w http.ResponseWriter, r *http.Request, id string) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/good.json":
			fmt.Fprintf(w, `{"client_id":%q,"client_name":"Exemplu",%s}`, id, redirects)
		case "/other-id":
			fmt.Fprintf(w, `{"client_id":"https://other.example/x",%s}`, redirects)
		case "/no-id":
			fmt.Fprintf(w, `{%s}`, redirects)
		case "/no-redirects":
			fmt.Fprintf(w, `{"client_id":%q}`, id)
		case "/clear":
			fmt.Fprintf(w, `{"client_id":%q,"redirect_uris":["http://app.example/"]}`, id)
		case "/secret":
			fmt.Fprintf(w, `{"client_id":%q,"token_endpoint_auth_method":"client_secret_post",%s}`, id, redirects)
		case "/large":
			fmt.Fprintf(w, `{"client_id":%q,"x":%q,%s}`, id, strings.Repeat("x", maxDocument), redirects)
		case "/html":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, `{"client_id":%q,%s}`, id, redirects)
		case "/moved":
			http.Redirect(w, r, "/good.json", http.StatusFound)
		case "/broken":
			fmt.Fprint(w, `{`)
		default:
			http.NotFound(w, r)
		}
	})
	client := host.Client()
	client.CheckRedirect = publicClient().CheckRedirect
	s := newSite(t, accountstore.Open(t), client)
	b := s.member("ana@exemplu.example")
	if back := b.allow(s.asking(host.URL + "/good.json")); back.Get("code") == "" {
		t.Errorf("a valid document is refused: %v", back)
	}

	for i, path := range []string{"/other-id", "/no-id", "/no-redirects", "/clear", "/secret", "/large", "/html",
		"/moved", "/broken", "/missing", "", "/", "/good.json#x", "/x/../good.json", "/gооd.json"} {
		t.Run(path, func(t *testing.T) {
			b := s.member(fmt.Sprintf("ana%d@exemplu.example", i)) // the fetches of an account are limited
			r := b.send("GET", Path+"/authorize?"+s.asking(host.URL+path).Encode(), "")
			if r.StatusCode != http.StatusBadRequest || r.Header.Get("Location") != "" {
				t.Errorf("got %d %v %s", r.StatusCode, r.Header, r.text)
			}
		})
	}
}

// Documents are fetched for signed-in people only, and cached as their server allows.
func TestDocumentsAreRemembered(t *testing.T) {
	var fetched atomic.Int32
	host := programs(t, func(w http.ResponseWriter, r *http.Request, id string) {
		fetched.Add(1)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", map[string]string{"/kept": "public, max-age=60",
			"/not-kept": "no-store, max-age=60"}[r.URL.Path])
		fmt.Fprintf(w, `{"client_id":%q,"redirect_uris":[%q]}`, id, callback)
	})
	s := newSite(t, accountstore.Open(t), host.Client())
	s.browser().send("GET", Path+"/authorize?"+s.asking(host.URL+"/kept").Encode(), "")
	testkit.Equal(t, fetched.Load(), 0, "fetches for a person who is not signed in")

	b := s.member("ana@exemplu.example")
	for path, want := range map[string]int32{"/kept": 1, "/not-kept": 3} {
		fetched.Store(0)
		for range 3 {
			b.send("GET", Path+"/authorize?"+s.asking(host.URL+path).Encode(), "")
		}
		testkit.Equal(t, fetched.Load(), want, "fetches of %s", path)
	}

	for range documentRate.Burst {
		if r := b.send("GET", Path+"/authorize?"+s.asking(host.URL+"/not-kept").Encode(),
			""); r.StatusCode == http.StatusTooManyRequests {
			return
		}
	}

	t.Error("the documents fetched for one person are not limited")
}

func TestDocumentAge(t *testing.T) {
	for control, want := range map[string]time.Duration{
		"": 0, "max-age=60": time.Minute, "public, MAX-AGE=\"60\"": time.Minute, "max-age=60, no-cache": 0,
		"no-store":         0,
		"max-age=99999999": maxDocumentAge, "max-age=-1": 0, "max-age=x": 0,
	} {
		testkit.Equal(t, documentAge(control), want, "%q", control)
	}
}

// The production client reaches no private network, whatever a name resolves to (SSRF).
func TestPrivateAddressesAreRefused(t *testing.T) {
	var asked atomic.Bool
	host := programs(t, func(http.ResponseWriter, *http.Request, string) { asked.Store(true) })
	client := publicClient()
	trusted := host.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: trusted}
	for _, address := range []string{host.URL + "/x", strings.Replace(host.URL, "127.0.0.1", "localhost", 1) + "/x"} {
		_, err := client.Get(address)
		if forbidden := (*web.Forbidden)(nil); !errors.As(err, &forbidden) || asked.Load() {
			t.Errorf("%s: %v", address, err)
		}
	}

	s := newSite(t, accountstore.Open(t), nil)
	r := s.member("ana@exemplu.example").send("GET", Path+"/authorize?"+s.asking(host.URL+"/x").Encode(), "")
	if r.StatusCode != http.StatusBadRequest || asked.Load() || strings.Contains(r.text, "127.0.0.1") {
		t.Errorf("got %d %s", r.StatusCode, r.text)
	}
}
