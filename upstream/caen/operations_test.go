package caen

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit/caller"
)

var calls = caller.New(api.Registries{Classification: Load()})

// get makes a call without a key.
func get(t testing.TB, target string) op.Reply {
	t.Helper()
	return calls.Get(t, target)
}

func getPage(t *testing.T, target string) reference.ActivityPage {
	t.Helper()
	return caller.Read[reference.ActivityPage](t, calls, target)
}

func codes(page reference.ActivityPage) string {
	var b strings.Builder
	for _, a := range page.Items {
		fmt.Fprint(&b, " ", a.Code)
	}
	return strings.TrimSpace(b.String())
}

func TestGetCAENCode(t *testing.T) {
	reply := get(t, "/v1/caen-codes/6210")
	const want = `{"code":"6210","name":"Activități de realizare a softului la comandă (software orientat client)","nameEn":"Computer programming activities",` +
		`"type":"class","description":null,"parentCode":"621","replacesRev2Codes":[6201],"parents":[` +
		`{"code":"K","name":"Telecomunicații; activități de programare și de consultanță în tehnologia informației; alte servicii informaționale",` +
		`"nameEn":"Telecommunication, computer programming, consulting, computing infrastructure and other information service activities","type":"section","description":null,"parentCode":null,"replacesRev2Codes":[]},` +
		`{"code":"62"`
	if !strings.HasPrefix(string(reply.Document.JSON), want) {
		t.Errorf("6210 is\n%s, want\n%s...", reply.Document.JSON, want)
	}
	if again := get(t, "/v1/caen-codes/6210"); again.Document != reply.Document {
		t.Error("every call creates the document again")
	}
	if reply.Cost != 0 || reply.Cache != op.Hit || reply.MaxAge != 24*time.Hour || reply.Private {
		t.Errorf("cost %d, cache %q, max-age %v, private %t", reply.Cost, reply.Cache, reply.MaxAge, reply.Private)
	}

	for target, want := range map[string]string{
		"/v1/caen-codes/v":     `"code":"V"`,
		"/v1/caen-codes/4689":  `"replacesRev2Codes":[]`,
		"/v1/caen-codes/0111":  `"replacesRev2Codes":[111]`,
		"/v1/caen-codes/111":   `"code":"0111"`,
		"/v1/caen-codes/610":   `"code":"0610"`,
		"/v1/caen-codes/812":   `"code":"812"`, // a group
		"/v1/caen-codes/62.10": `"code":"6210"`,
		"/v1/caen-codes/6120":  `"code":"6120"`, // another activity than in Rev.2
		"/v1/caen-codes/62":    `"replacesRev2Codes":[62`,
	} {
		if got := string(get(t, target).Document.JSON); !strings.Contains(got, want) {
			t.Errorf("%s is %s, want %s in it", target, got, want)
		}
	}
}

func TestCodesThatAreNotThere(t *testing.T) {
	for _, c := range []struct {
		name, target string
		status       int
		slug, says   string
		successors   string
	}{
		{"dropped class", "/v1/caen-codes/6201", 404, "caen-code-replaced", "6210", "6210"},
		{"dropped group", "/v1/caen-codes/620", 404, "caen-code-replaced", "621", "621 622 629"},
		{"dropped group, or a class without its zero", "/v1/caen-codes/620", 404, "caen-code-replaced",
			"the class is 0620", "621 622 629"},
		{"dropped division", "/v1/caen-codes/45", 404, "caen-code-replaced", "95", "46 47 95"},
		{"dropped parent", "/v1/caen-codes?parent=620", 404, "caen-code-replaced", "621", "621 622 629"},
		{"unknown code", "/v1/caen-codes/9998", 404, "not-found", "9998", ""},
		{"unknown section", "/v1/caen-codes/w", 404, "not-found", "A to V", ""},
		{"unknown parent", "/v1/caen-codes?parent=W", 404, "not-found", "W", ""},
		{"a dot elsewhere", "/v1/caen-codes/6.210", 400, "invalid-request", "2 to 4 digits", ""},
		{"long code", "/v1/caen-codes/62100", 400, "invalid-request", `"62100"`, ""},
		{"one digit", "/v1/caen-codes/6", 400, "invalid-request", "2 to 4 digits", ""},
		{"malformed in list", "/v1/caen-codes?code=6210,x1", 400, "invalid-request", `"x1"`, ""},
		{"empty in list", "/v1/caen-codes?code=6210,,62", 400, "invalid-request", "empty", ""},
		{"unknown type", "/v1/caen-codes?type=klass", 400, "invalid-request", "section, division, group, class", ""},
		{"type in another case", "/v1/caen-codes?type=Class", 400, "invalid-request", "class", ""},
		{"parent of five digits", "/v1/caen-codes?parent=62100", 400, "invalid-request", "parent", ""},
		{"section replaced", "/v1/caen-codes?replaces=J", 400, "invalid-request", "Rev.2", ""},
		{"companies of no group", "/v1/companies?industryId=625", 400, "invalid-request", "did you mean 6", ""},
		{"companies of no division", "/v1/companies?industryId=04", 400, "invalid-request", "did you mean 03?", ""},
		{"limit 0", "/v1/caen-codes?limit=0", 400, "invalid-request", "1 to 100", ""},
		{"limit 101", "/v1/caen-codes?limit=101", 400, "invalid-request", "1 to 100", ""},
		{"limit -1", "/v1/caen-codes?limit=-1", 400, "invalid-request", "1 to 100", ""},
		{"limit ten", "/v1/caen-codes?limit=ten", 400, "invalid-request", `"ten"`, ""},
		{"offset a million", "/v1/caen-codes?offset=1000000", 400, "invalid-request", "999999", ""},
		{"blank text", "/v1/caen-codes?q=%20", 400, "invalid-request", "blank", ""},
		{"unknown parameter", "/v1/caen-codes?query=soft", 400, "invalid-request", "accepted: q, code", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			reply := get(t, c.target)
			if reply.Problem == nil {
				t.Fatalf("answered %s", reply.Document.JSON)
			}

			var successors []string
			replaced, _ := reply.Problem.Extensions.(reference.ReplacedCode)
			for _, s := range replaced.Successors {
				successors = append(successors, s.Code)
				if s.NameEn == "" || s.NameEn == s.Name {
					t.Errorf("the English name of %s is %q", s.Code, s.NameEn)
				}
			}

			if got := strings.Join(successors, " "); reply.Status != c.status || reply.Problem.Kind.Slug != c.slug ||
				got != c.successors {
				t.Errorf("%d %s with successors %q, want %d %s with %q", reply.Status, reply.Problem.Kind.Slug, got,
					c.status, c.slug, c.successors)
			}

			if !strings.Contains(reply.Problem.Detail, c.says) {
				t.Errorf("detail %q does not say %q", reply.Problem.Detail, c.says)
			}
		})
	}
}

func TestSearchCAENCodes(t *testing.T) {
	for _, c := range []struct {
		name, query string
		total       int
		codes       string // the first of them
	}{
		{"all, in the order of the classification", "", 1047, "A 01 011 0111"},
		{"sections", "type=section&limit=100", 22, "A B C D E F G H I J K L M N O P Q R S T U V"},
		{"code prefix", "q=62", 7, "62 621 6210 622 6220 629 6290"},
		{"code with a dot", "q=62.10", 1, "6210"},
		{"whole code", "q=6210", 1, "6210"},
		{"section letter first", "q=k&limit=2", 9, "K "},
		{"exact, beginning, containing", "q=Activităţi+de+PROGRAMARE", 3, "621 62 K"},
		{"no diacritics", "q=activitati+de+programare", 3, "621 62 K"},
		{"any order, last word begun", "q=orezului+cultiv", 1, "0112"},
		{"every word begun", "q=cultiv+orez", 2, "0111 0112"},
		{"English, beginning before containing", "q=computer+programming", 4, "62 621 6210 K"},
		{"exact English name", "q=growing+of+rice", 2, "0112 0111"},
		{"a typing error is not forgiven", "q=orzeului", 0, ""},
		{"codes", "code=6220,6210,9998,k", 3, "K 6210 6220"},
		{"codes that do not exist", "code=9998", 0, ""},
		{"children", "parent=62", 3, "621 622 629"},
		{"children of a section", "parent=k&limit=100", 3, "61 62 63"},
		{"children of a class", "parent=6210", 0, ""},
		{"walk down", "parent=K&type=class", 9, "6110"},
		{"no such level below", "parent=6210&type=section", 0, ""},
		{"Rev.2 class", "replaces=6201", 1, "6210"},
		{"Rev.2 group", "replaces=620", 3, "621 622 629"},
		{"kept class", "replaces=0112", 1, "0112"},
		{"unknown Rev.2 code", "replaces=9998", 0, ""},
		{"everything at once", "q=soft&code=6210,6220&type=class&parent=621&replaces=6201&limit=1&offset=0", 1, "6210"},
		{"beyond the end", "offset=999999", 1047, ""},
		{"page across the end", "offset=1046&limit=100", 1047, "9900"},
		{"no word", "q=--", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := getPage(t, "/v1/caen-codes?"+c.query)
			if !strings.HasPrefix(codes(page), c.codes) || c.codes == "" && len(page.Items) > 0 {
				t.Errorf("codes %s, want %s first", codes(page), c.codes)
			}
			if page.TotalCount != c.total {
				t.Errorf("%d in all, want %d", page.TotalCount, c.total)
			}
		})
	}
}

func TestPagesMakeUpTheWhole(t *testing.T) {
	for _, query := range []string{"", "q=fabricarea&", "type=class&", "q=a&type=group&"} {
		whole := getPage(t, "/v1/caen-codes?"+query)
		seen := map[reference.CAENCode]bool{}
		for offset := 0; offset < whole.TotalCount; offset += 37 {
			for _, a := range getPage(t, fmt.Sprintf("/v1/caen-codes?%slimit=37&offset=%d", query, offset)).Items {
				if seen[a.Code] {
					t.Errorf("%q repeats %s", query, a.Code)
				}
				seen[a.Code] = true
			}
		}

		if len(seen) != whole.TotalCount || whole.TotalCount < 50 {
			t.Errorf("%q: %d on all pages, %d in all", query, len(seen), whole.TotalCount)
		}
	}
}
