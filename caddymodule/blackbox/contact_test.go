package blackbox

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/account/mail/mailtest"
	"github.com/rodata/rodata/internal/loopback"
)

// mailTo makes the gateway send its mail to a server at an address.
func mailTo(address string) func(*gateway) {
	return func(g *gateway) {
		g.app()["base_url"] = g.url
		g.app()["mail"] = object{
			"smtp": "smtp://" + address, "from": "desk@api.example.ro", "contact_to": "operators@example.com",
		}
	}
}

const (
	wellFormed = `{"name":"Ana Exemplu","email":"ana@example.ro","message":"Bună ziua,\nștiți de ce?"}`
	thanks     = `{"ok":true}`
)

// write sends a message, with one additional header.
func (g *gateway) write(t *testing.T, body, name, value string) answer {
	t.Helper()
	header := map[string]string{"Content-Type": "application/json"}
	if name != "" {
		header[name] = value
	}

	return g.do(t, "POST", "/v1/contact", request{body: body, header: header})
}

// reload loads the configuration again, and closes the connections that this ends.
func (g *gateway) reload(t *testing.T) {
	t.Helper()
	if err := g.load(); err != nil {
		t.Fatal(err)
	}

	http.DefaultClient.CloseIdleConnections()
}

func TestContact(t *testing.T) {
	server := mailtest.Start(t, mailtest.Options{})
	g := start(t, mailTo(server.Address()))
	got := g.write(t, wellFormed, "Origin", g.url)
	if got.StatusCode != http.StatusOK || string(got.body) != thanks || got.Header.Get("x-credits-cost") != "0" {
		t.Fatalf("got %d %s", got.StatusCode, got.body)
	}

	mail := server.Next(t)
	if content := mail.Read(t); content.Get(t, "Reply-To") != "<ana@example.ro>" ||
		!strings.Contains(content.Text, "Bună ziua,\nștiți de ce?") {
		t.Errorf("the mail says:\n%s", mail.Raw)
	}

	for name, header := range map[string][2]string{
		"another page's origin":   {"Origin", "https://evil.example"},
		"a hidden origin":         {"Origin", "null"},
		"a request across sites":  {"Sec-Fetch-Site", "cross-site"},
		"an origin that is close": {"Origin", g.url + ".evil.example"},
	} {
		if got := g.write(t, wellFormed, header[0],
			header[1]); got.problem(t, http.StatusForbidden, "forbidden") == "" {
			t.Errorf("%s: the problem has no detail", name)
		}
	}

	for range 4 {
		if got := g.write(t, wellFormed, "", ""); got.StatusCode != http.StatusOK {
			t.Errorf("got %d %s", got.StatusCode, got.body)
		}
	}

	refused := g.write(t, wellFormed, "", "")
	refused.problem(t, http.StatusTooManyRequests, "rate-limited")
	if seconds, err := strconv.Atoi(refused.Header.Get("Retry-After")); err != nil || seconds < 3500 || seconds > 3600 {
		t.Errorf("Retry-After is %q, want nearly an hour", refused.Header.Get("Retry-After"))
	}

	g.reload(t) // it loses no data
	g.write(t, wellFormed, "", "").problem(t, http.StatusTooManyRequests, "rate-limited")
	for range 4 {
		server.Next(t)
	}
	if n := server.Waiting(); n != 0 {
		t.Errorf("%d mails too many came", n)
	}
}

// Senders do not notice whether a mail server exists or is reachable; waiting mails are sent once it is.
func TestContactWithoutAMailServer(t *testing.T) {
	g := start(t, func(g *gateway) { delete(g.app(), "mail") })
	if got := g.write(t, wellFormed, "", ""); string(got.body) != thanks {
		t.Errorf("with no server configured: got %d %s", got.StatusCode, got.body)
	}

	mailTo(loopback.FreeAddress())(g)
	g.reload(t)
	if got := g.write(t, wellFormed, "", ""); string(got.body) != thanks {
		t.Errorf("with an unreachable mail server: got %d %s", got.StatusCode, got.body)
	}
}

// In the sandbox, a developer finds the mails in the log.
func TestMailOfASandboxIsLogged(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.json")
	g := start(t, logTo(log), func(g *gateway) {
		g.app()["environment"] = "sandbox"
		g.app()["mail"] = object{"contact_to": "operators@example.com"}
	})
	g.write(t, wellFormed, "", "")
	var logged []byte
	for giveUp := time.After(10 * time.Second); !strings.Contains(string(logged), "would have been sent"); {
		select {
		case <-giveUp:
			t.Fatalf("the mail is not in the log:\n%s", logged)
		case <-time.After(10 * time.Millisecond):
		}

		logged, _ = os.ReadFile(log)
	}

	if !strings.Contains(string(logged), "știți de ce?") {
		t.Errorf("the log does not say what is in the mail:\n%s", logged)
	}
}

// Malformed messages are rejected completely.
func TestBadBodies(t *testing.T) {
	g := start(t)
	with := func(member string) string { return strings.TrimSuffix(wellFormed, "}") + "," + member + "}" }
	for name, c := range map[string]struct {
		body, media string
		status      int
		detail      string
	}{
		"no body":            {"", "application/json", 400, "ends too early"},
		"half a body":        {wellFormed[:40], "application/json", 400, "ends too early"},
		"broken":             {`{"name":Ana}`, "application/json", 400, "broken at byte"},
		"a text":             {`"Ana"`, "application/json", 400, "object is needed"},
		"a list":             {"[" + wellFormed + "]", "application/json", 400, "object is needed"},
		"two objects":        {wellFormed + wellFormed, "application/json", 400, "data after the JSON object"},
		"a comma at the end": {strings.TrimSuffix(wellFormed, "}") + ",}", "application/json", 400, "broken at byte"},
		"not UTF-8":          {strings.Replace(wellFormed, "Ana", "\xff", 1), "application/json", 400, "UTF-8"},
		"deep": {`{"name":` + strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_001),
			"application/json", 400, "object or array"},
		"too deep": {`{"name":` + strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_001),
			"application/json", 400, "nested too deeply"},
		"deep lists": {strings.Repeat("[", 60_000), "application/json", 400, "object is needed"},
		"too large": {with(`"website":"` + strings.Repeat("x", 70<<10) + `"`), "application/json", 413,
			"65536"},
		"a number for a text": {strings.Replace(wellFormed, `"Ana Exemplu"`, "12345", 1), "application/json", 400,
			"in quotes"},
		"a boolean for a text": {strings.Replace(wellFormed, `"Ana Exemplu"`, "true", 1), "application/json", 400,
			"in quotes"},
		"an object for a text": {strings.Replace(wellFormed, `"Ana Exemplu"`, "{}", 1), "application/json", 400,
			"object or array"},
		"null for a text": {strings.Replace(wellFormed, `"Ana Exemplu"`, "null", 1), "application/json", 400,
			"name is missing"},
		"an unknown field": {with(`"phone":"0"`), "application/json", 400, `"phone"`},
		"a field in another case": {strings.Replace(wellFormed, `"name"`, `"Name"`, 1), "application/json",
			400, "name"},
		"a field twice":          {with(`"email":"x@example.com"`), "application/json", 400, "more than once"},
		"a field twice, escaped": {with(`"\u0065mail":"x@example.com"`), "application/json", 400, "more than once"},
		"a filled website":       {with(`"website":"https://spam.example"`), "application/json", 400, "website"},
		"a header in the name": {strings.Replace(wellFormed, "Ana Exemplu", `Ana\r\nBcc: x@example.com`, 1),
			"application/json", 400, "control character"},
		"a header in the address": {strings.Replace(wellFormed, "ana@example.ro",
			`ana@example.ro\nBcc: x@example.com`, 1),
			"application/json", 400, "control character"},
		"a form":                    {"name=Ana", "application/x-www-form-urlencoded", 415, "application/json"},
		"a form that looks like it": {wellFormed, "text/plain", 415, "application/json"},
		"no media type":             {wellFormed, "", 415, "application/json"},
		"a malformed media type":    {wellFormed, "application/json;;;=", 415, "application/json"},
	} {
		t.Run(name, func(t *testing.T) {
			slug := map[int]string{400: "invalid-request", 413: "payload-too-large",
				415: "unsupported-media-type"}[c.status]
			got := g.do(t, "POST", "/v1/contact",
				request{body: c.body, header: map[string]string{"Content-Type": c.media}})
			if detail := got.problem(t, c.status, slug); !strings.Contains(detail, c.detail) {
				t.Errorf("the detail %q does not say %q", detail, c.detail)
			}
		})
	}

	for i := range 5 { // as many as accepted without the ones above
		if got := g.write(t, wellFormed, "", ""); got.StatusCode != http.StatusOK {
			t.Errorf("good message %d: got %d %s", i, got.StatusCode, got.body)
		}
	}
}

// The same holds for the name of a key, and no key is created.
func TestBadBodiesOfKeys(t *testing.T) {
	var w wallet
	g := start(t, paying(t, &w, 10))
	before := w.get(t, g, "/v1/keys").body
	for name, c := range map[string]struct {
		body, media string
		status      int
		detail      string
	}{
		"half a body": {`{"name":"ER`, "application/json", 400, "ends too early"},
		"broken":      {`{"name":ERP}`, "application/json", 400, "broken at byte"},
		"a list":      {`["ERP"]`, "application/json", 400, "object is needed"},
		"deep": {`{"name":` + strings.Repeat(`[`, 9_000) + strings.Repeat("]", 9_000) + "}", "application/json",
			400, "object or array"},
		"too deep": {`{"name":` + strings.Repeat(`[`, 10_000) + strings.Repeat("]", 10_000) + "}", "application/json",
			400, "nested too deeply"},
		"too large":        {`{"name":"` + strings.Repeat("x", 70<<10) + `"}`, "application/json", 413, "65536"},
		"a number":         {`{"name":1}`, "application/json", 400, "in quotes"},
		"nothing in it":    {`{}`, "application/json", 400, "name is missing"},
		"an empty name":    {`{"name":""}`, "application/json", 400, "name"},
		"a name too long":  {`{"name":"` + strings.Repeat("ș", 101) + `"}`, "application/json", 400, "100"},
		"an unknown field": {`{"name":"ERP","admin":true}`, "application/json", 400, `"admin"`},
		"a field twice":    {`{"name":"ERP","name":"x"}`, "application/json", 400, "more than once"},
		"a line break":     {`{"name":"ERP\nx"}`, "application/json", 400, "control character"},
		"another media":    {`{"name":"ERP"}`, "text/plain", 415, "application/json"},
		"no media type":    {`{"name":"ERP"}`, "", 415, "application/json"},
	} {
		t.Run(name, func(t *testing.T) {
			slug := map[int]string{400: "invalid-request", 413: "payload-too-large",
				415: "unsupported-media-type"}[c.status]
			header := w.header()
			header["Content-Type"] = c.media
			got := g.do(t, "POST", "/v1/keys", request{body: c.body, header: header})
			if detail := got.problem(t, c.status, slug); !strings.Contains(detail, c.detail) {
				t.Errorf("the detail %q does not say %q", detail, c.detail)
			}
		})
	}

	if after := w.get(t, g, "/v1/keys").body; !bytes.Equal(before, after) {
		t.Errorf("there are other keys than before: %s", after)
	}
}
