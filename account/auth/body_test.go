package auth

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

func TestBodies(t *testing.T) {
	s := newSite(t, open)
	b := s.browser(t)
	for name, c := range map[string]struct {
		contentType, body string
		status            int
		code              string
	}{
		"form": {"application/x-www-form-urlencoded",
			"email=ana%40exemplu.example&password=o+parola&rememberMe=false", 401, "INVALID_EMAIL_OR_PASSWORD"},
		"JSON, in UTF-8": {"application/json; charset=utf-8",
			`{"email":"ana@exemplu.example","password":"o parolă"}`, 401, "INVALID_EMAIL_OR_PASSWORD"},
		"text":             {"text/plain", `{}`, 415, "UNSUPPORTED_MEDIA_TYPE"},
		"files":            {"multipart/form-data; boundary=x", "--x--", 415, "UNSUPPORTED_MEDIA_TYPE"},
		"no type":          {"", `{}`, 415, "UNSUPPORTED_MEDIA_TYPE"},
		"nothing":          {"application/json", "", 400, "BAD_REQUEST"},
		"nothing, no type": {"", "", 400, "VALIDATION_ERROR"},
		"broken":           {"application/json", `{"email":`, 400, "BAD_REQUEST"},
		"broken inside":    {"application/json", `{"email" "x"}`, 400, "BAD_REQUEST"},
		"not closed":       {"application/json", `{"email":"x"`, 400, "BAD_REQUEST"},
		"two":              {"application/json", `{} {}`, 400, "BAD_REQUEST"},
		"not UTF-8":        {"application/json", "{\"email\":\"\xff\"}", 400, "BAD_REQUEST"},
		"array":            {"application/json", `[]`, 400, "VALIDATION_ERROR"},
		"a text":           {"application/json", `"x"`, 400, "VALIDATION_ERROR"},
		"null":             {"application/json", `null`, 400, "VALIDATION_ERROR"},
		"too deep": {"application/json", strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000),
			413, "PAYLOAD_TOO_LARGE"},
		"deep": {"application/json", `{"email":` + strings.Repeat(`[`, 20_000), 400, "BAD_REQUEST"},
		"too large": {"application/json", `{"email":"` + strings.Repeat("a", maxBody) + `"}`, 413,
			"PAYLOAD_TOO_LARGE"},
		"number":          {"application/json", `{"email":1,"password":"o parolă"}`, 400, "VALIDATION_ERROR"},
		"null for a text": {"application/json", `{"email":null,"password":"o parolă"}`, 400, "VALIDATION_ERROR"},
		"text for a truth": {"application/json", `{"email":"a@b.ro","password":"x","rememberMe":"da"}`, 400,
			"VALIDATION_ERROR"},
		"object for a text": {"application/json", `{"email":{"$gt":""},"password":"x"}`, 400, "VALIDATION_ERROR"},
		"unknown": {"application/json", `{"email":"a@b.ro","password":"x","isAdmin":true}`, 400,
			"VALIDATION_ERROR"},
		"twice": {"application/json", `{"email":"a@b.ro","email":"c@d.ro","password":"x"}`, 400,
			"VALIDATION_ERROR"},
		"twice in a form": {"application/x-www-form-urlencoded", "email=a&email=b", 400, "VALIDATION_ERROR"},
		"broken form":     {"application/x-www-form-urlencoded", "email=%zz", 400, "VALIDATION_ERROR"},
		"form, not UTF-8": {"application/x-www-form-urlencoded", "email=%ff", 400, "VALIDATION_ERROR"},
		"too many":        {"application/json", `{"a":1` + manyMembers() + `}`, 400, "VALIDATION_ERROR"},
		"missing":         {"application/json", `{"email":"a@b.ro"}`, 400, "VALIDATION_ERROR"},
	} {
		t.Run(name, func(t *testing.T) {
			r := b.want(b.postBody("/sign-in/email", c.contentType, c.body), c.status, c.code)
			if r.Header.Get("Content-Type") != "application/problem+json" || len(r.text) > 600 {
				t.Errorf("got %v %s", r.Header, r.text)
			}
			if errors, _ := r.json["errors"].([]any); (len(errors) == 1) != (c.status == 400) {
				t.Errorf("errors of a %d: %v", c.status, errors)
			}
		})
	}

	b.header.Set("Content-Encoding", "gzip")
	b.want(b.postBody("/sign-in/email", "application/json", `{}`), 415, "UNSUPPORTED_MEDIA_TYPE")
}

func manyMembers() string {
	var s strings.Builder
	for range 40 {
		s.WriteString(`,"` + strings.Repeat("b", s.Len()%50+1) + `":1`)
	}
	return s.String()
}

func TestMessagesNameTheMember(t *testing.T) {
	b := newSite(t, open).browser(t)
	for body, want := range map[string]string{
		`{}`:                               "[body.provider] Invalid input: expected string, received undefined",
		`{"provider":1}`:                   "[body.provider] Invalid input: expected string, received number",
		`{"provider":"github","ș\n<b>":1}`: "[body.??<b>] Unrecognized key",
		`{"provider":"github","disableRedirect":1}`: "[body.disableRedirect] Invalid input: expected boolean, " +
			"received number",
	} {
		testkit.Equal[any](t, b.postBody("/sign-in/social", "application/json", body).json["message"], want, body)
	}
}

// Of several errors in a body, the same one is reported each time.
func TestReportedErrorIsStable(t *testing.T) {
	b := newSite(t, nil).browser(t)
	for _, c := range []struct{ path, body, want string }{
		{"/sign-in/social", `{"provider":"github","c":1,"b":1,"a":1}`, "[body.a] Unrecognized key"},
		{"/sign-in/email", `{}`, "[body.email] Invalid input: expected string, received undefined"},
		{"/sign-in/magic-link", `{"email":"ana@exemplu.example","callbackURL":"https://evil.example",` +
			`"errorCallbackURL":"https://evil.example"}`, "Invalid callbackURL"},
	} {
		for range 20 {
			if r := b.postBody(c.path, "application/json", c.body); r.json["message"] != c.want {
				t.Fatalf("%s %s: got %v, want %s", c.path, c.body, r.json["message"], c.want)
			}
		}
	}
}

func FuzzBody(f *testing.F) {
	for _, seed := range []string{`{"email":"a","b":null,"c":true,"d":1.5}`, `{"a":[]}`, `{"a":"\ud800"}`, "{", ""} {
		f.Add([]byte(seed))
	}

	f.Fuzz(func(t *testing.T, data []byte) {
		values, err := readJSON(data)
		testkit.Equal(t, err == nil, values != nil, "%q: %v", data, values)

		var object map[string]any
		if err == nil && (json.Unmarshal(data, &object) != nil || !reflect.DeepEqual(values, object)) {
			t.Errorf("%q: %v", data, values)
		}
	})
}
