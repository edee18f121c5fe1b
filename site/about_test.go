package site

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
)

func TestAboutPages(t *testing.T) {
	own := Text{"# Our terms\n\nBe kind. <script>alert(1)</script>", "# Termenii noștri\n\nFiți amabili."}
	for _, c := range []struct {
		name, path string
		about      About
		want       string
	}{
		{"nothing stated", "/about/terms", About{}, "has not stated a name"},
		{"an operator", "/about/privacy", About{Operator: "EXEMPLU & FIII SRL"}, "run by EXEMPLU &amp; FIII SRL."},
		{"own terms", "/about/terms", About{Terms: own}, "Be kind."},
		{"own terms in Romanian", "/about/terms?lang=ro", About{Terms: own}, "<title>Termenii noștri"},
		{"the other text stays", "/about/privacy?lang=ro", About{Terms: own}, "ANSPDCP"},
	} {
		o := optionsOf(t)
		o.About = c.about
		page := get(New(o), c.path).Body.String()
		if !strings.Contains(page, c.want) {
			t.Errorf("%s: the page does not say %q: %s", c.name, c.want, page)
		}
		if strings.Contains(page, "<script>alert") {
			t.Errorf("%s: markup of the file became markup of the page", c.name)
		}
	}
}

func TestTextsHaveVersions(t *testing.T) {
	o := optionsOf(t)
	first := New(o).shell.Terms
	o.About.Operator = "EXEMPLU SRL"
	if second := New(o).shell.Terms; len(first) != 16 || second == first {
		t.Errorf("versions %q and %q of different texts", first, second)
	}
}

// inbox keeps messages.
type inbox struct{ taken []account.Inquiry }

func (i *inbox) Take(_ context.Context, q account.Inquiry) error {
	i.taken = append(i.taken, q)
	return nil
}

// submit sends the form of /about/contact.
func submit(s *Site, fields url.Values, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/about/contact?lang=ro", strings.NewReader(fields.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}

	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestContactFormWorksWithoutScripts(t *testing.T) {
	taken := new(inbox)
	s := liveSite(t, api.Registries{Inbox: taken}, unlimited)
	message := func(changes ...string) url.Values {
		v := url.Values{"name": {"Ana Exemplu"}, "email": {"ana@example.ro"}, "message": {"Bună ziua, am o întrebare."},
			"website": {""}}
		for i := 0; i+1 < len(changes); i += 2 {
			v.Set(changes[i], changes[i+1])
		}
		return v
	}

	w := submit(s, message(), "Origin", baseURL)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/about/contact?sent" || len(taken.taken) != 1 ||
		taken.taken[0].Email != "ana@example.ro" || !taken.taken[0].Address.IsValid() {
		t.Fatalf("%d %v, stored %+v", w.Code, w.Header(), taken.taken)
	}
	if thanks := get(s, "/about/contact?sent&lang=ro").Body.String(); !strings.Contains(thanks, "Vă mulțumim") {
		t.Error("the page does not thank for the message")
	}

	for _, c := range []struct {
		name   string
		form   url.Values
		origin string
		status int
		want   string
	}{
		{"a short message", message("message", "<b>scurt"), baseURL, 400, "Mesajul: textul este prea scurt."},
		{"no address", message("email", "ana"), baseURL, 400, `aria-describedby="email-error"`},
		{"what was typed stays", message("email", "ana"), baseURL, 400, `value="Ana Exemplu"`},
		{"markup stays text", message("message", "<b>scurt"), baseURL, 400, "&lt;b&gt;scurt"},
		{"a bot", message("website", "https://bot.example"), baseURL, 400, "Cererea nu este validă"},
		{"another site's page", message(), "https://evil.example", 403, "Acces interzis"},
		{"a hidden origin", message(), "null", 403, "Acces interzis"},
		{"too much", message("message", strings.Repeat("a", maxForm)), baseURL, 413, "Cererea este prea mare"},
	} {
		w := submit(s, c.form, "Origin", c.origin)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: got %d without %q: %s", c.name, w.Code, c.want, w.Body)
		}
	}

	if len(taken.taken) != 1 {
		t.Errorf("%d messages were stored", len(taken.taken))
	}
}
