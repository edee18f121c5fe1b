package receipt_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/netip"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/api/verdict"
	"github.com/rodata/rodata/history/receipt"
	"github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/databases"
)

const baseURL = "https://api.example.ro"

var (
	secret = []byte("the secret of the deployment")
	start  = time.Date(2026, 11, 22, 8, 15, 30, 0, time.UTC)
)

// clock is a clock set by the test.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

var migrated = databases.NewTemplate(store.Open)

// forStores runs a test for every kind of store, with a function that opens the same one each time.
func forStores(t *testing.T, test func(t *testing.T, open func() receipt.Store)) {
	migrated.Each(t, func(t *testing.T, place string) {
		open := func() receipt.Store { return openPlace(t, place) }
		if databases.IsFile(place) { // which can be open only once
			db := open()
			open = func() receipt.Store { return db }
		}

		test(t, open)
	})
}

// openPlace opens a place for the duration of the test.
func openPlace(t *testing.T, place string) receipt.Store {
	t.Helper()
	return databases.Open(t, place, store.Open)
}

func open(t *testing.T, s receipt.Store, c *clock) *receipt.Issuer {
	t.Helper()
	i, err := receipt.Open(t.Context(), receipt.Options{
		Store: s, Secret: secret, BaseURL: baseURL, Logger: slog.New(slog.DiscardHandler), Now: c.now,
	})
	testkit.NoError(t, err)

	return i
}

func statement() proof.Statement {
	known := ro.NewDate(2020, 12, 5)
	return proof.Statement{
		TaxID: 9900000010, Name: "Țesătoria Fără Șiret & Fiii SRL", Date: ro.NewDate(2020, 12, 5), KnownAt: &known,
		RetrievedAt: start.Add(-90*time.Minute + 123456789), RecordSHA256: strings.Repeat("0a", 32),
		Status: proof.Certified(`{"taxId":9900000010,"date":"2020-12-05","knownAt":"2020-12-05",
			"vatPayer":{"value":true,"from":"2017-10-01","to":null,"basis":"periods"},
			"vatOnCollection":{"value":null},"inactive":{"value":false},"later":{"anything":[1]},
			"sources":[{"name":"anaf","retrievedAt":"2026-11-22T06:45:30Z","asOf":"2026-11-22"},
				{"name":"anaf-vat-collection","retrievedAt":null,"asOf":"2026-11-20"}]}`),
	}
}

type issued struct {
	ID proof.ReceiptID
	op.Renderer
}

func issue(t *testing.T, i *receipt.Issuer, s proof.Statement) issued {
	t.Helper()
	id, r, err := i.Certify(t.Context(), s)
	testkit.NoError(t, err)

	return issued{id, r}
}

// asAccount returns a context of a call by an account, which may have any number of receipts.
func asAccount(ctx context.Context) context.Context {
	return op.WithCaller(ctx, account.Caller{Key: &account.Key{Account: "acc-1"}})
}

// rendered returns a receipt in a media type.
func rendered(t *testing.T, r op.Renderer, media string) []byte {
	t.Helper()
	doc, err := r.Render(t.Context(), media, baseURL)
	testkit.NoError(t, err)

	return doc.JSON
}

func jwks(t *testing.T, i *receipt.Issuer) []byte {
	t.Helper()
	answer, err := i.SigningKeys(t.Context())
	testkit.NoError(t, err)
	if answer.Value == nil || len(answer.Value.Keys) == 0 { // callers in the same process read the value
		t.Error("the answer has a document without its value")
	}

	return answer.Document.JSON
}

// verify verifies a JWT like a third party, with only the bytes of the key set and the standard library.
func verify(jwt, jwks []byte) (header, claims map[string]any, valid bool) {
	parts := strings.Split(string(jwt), ".")
	if len(parts) != 3 {
		return nil, nil, false
	}

	part := func(i int, into *map[string]any) []byte {
		text, err := base64.RawURLEncoding.Strict().DecodeString(parts[i])
		if err != nil || into != nil && json.Unmarshal(text, into) != nil {
			return nil
		}
		return text
	}
	part(0, &header)
	part(1, &claims)
	signature := part(2, nil)

	var set struct{ Keys []map[string]string }
	if json.Unmarshal(jwks, &set) != nil {
		return nil, nil, false
	}

	for _, k := range set.Keys {
		if k["kid"] != header["kid"] || k["kty"] != "OKP" || k["crv"] != "Ed25519" || header["alg"] != "EdDSA" {
			continue
		}

		public, err := base64.RawURLEncoding.DecodeString(k["x"])
		thumb := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + k["x"] + `"}`)) // RFC 7638
		named := base64.RawURLEncoding.EncodeToString(thumb[:]) == k["kid"]
		valid = err == nil && named && len(public) == ed25519.PublicKeySize &&
			ed25519.Verify(public, []byte(parts[0]+"."+parts[1]), signature)
	}

	return header, claims, valid
}

func TestReceiptIsVerifiedWithKeySetAlone(t *testing.T) {
	forStores(t, func(t *testing.T, store func() receipt.Store) {
		i := open(t, store(), &clock{start})
		r := issue(t, i, statement())
		jwt, keys := rendered(t, r, "application/jwt"), jwks(t, i)

		header, claims, valid := verify(jwt, keys)
		if !valid || header["typ"] != "JWT" {
			t.Errorf("valid: %t, header %v\n%s\n%s", valid, header, jwt, keys)
		}
		if claims["iss"] != baseURL || claims["sub"] != "RO9900000010" || claims["jti"] != string(r.ID) ||
			claims["iat"] != float64(start.Unix()) {
			t.Errorf("claims %v", claims)
		}

		stated := claims["statement"].(map[string]any)
		if stated["name"] != statement().Name || stated["recordSha256"] != statement().RecordSHA256 ||
			stated["retrievedAt"] != "2026-11-22T06:45:30Z" ||
			stated["status"].(map[string]any)["vatPayer"].(map[string]any)["value"] != true {
			t.Errorf("the statement is %v", stated)
		}

		for at := range jwt {
			changed := slices.Clone(jwt)
			if changed[at]++; changed[at] == '.' || jwt[at] == '.' {
				changed[at] = 'A'
			}
			if _, _, valid := verify(changed, keys); valid {
				t.Errorf("the JWT is valid with byte %d changed", at)
			}
		}
	})
}

// The id is a hash of the statement as encoded in the JWT.
func TestIDIsHashOfStatement(t *testing.T) {
	forStores(t, func(t *testing.T, store func() receipt.Store) {
		i := open(t, store(), &clock{start})
		r := issue(t, i, statement())
		payload, err := base64.RawURLEncoding.DecodeString(strings.Split(string(rendered(t, r, "application/jwt")),
			".")[1])
		testkit.NoError(t, err)

		_, text, _ := bytes.Cut(payload, []byte(`"statement":`))
		sum := sha256.Sum256(bytes.TrimSuffix(text, []byte("}")))
		want := "rcp_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:26]
		if string(r.ID) != want {
			t.Errorf("id %s, want %s", r.ID, want)
		}

		var id proof.ReceiptID
		if err := id.UnmarshalText([]byte(strings.ToUpper(want))); err != nil || id != r.ID {
			t.Errorf("the id is read as %s, %v", id, err)
		}

		for name, change := range map[string]func(*proof.Statement){
			"company":  func(s *proof.Statement) { s.TaxID++ },
			"name":     func(s *proof.Statement) { s.Name += "." },
			"date":     func(s *proof.Statement) { s.Date++ },
			"known at": func(s *proof.Statement) { s.KnownAt = nil },
			"time":     func(s *proof.Statement) { s.RetrievedAt = s.RetrievedAt.Add(time.Second) },
			"record":   func(s *proof.Statement) { s.RecordSHA256 = strings.Repeat("0b", 32) },
			"status":   func(s *proof.Statement) { s.Status = proof.Certified(`{}`) },
		} {
			s := statement()
			if change(&s); issue(t, i, s).ID == r.ID {
				t.Errorf("with a different %s, the id is the same", name)
			}
		}
	})
}

// counting is a store that counts writes.
type counting struct {
	receipt.Store
	added int
}

func (c *counting) AddReceipt(ctx context.Context, r receipt.Receipt) error {
	c.added++
	return c.Store.AddReceipt(ctx, r)
}

func TestRepeatedStatementReturnsSameReceipt(t *testing.T) {
	forStores(t, func(t *testing.T, store func() receipt.Store) {
		c := &clock{start}
		first := &counting{Store: store()}
		one := open(t, first, c)
		r := issue(t, one, statement())
		jwt := rendered(t, r, "application/jwt")
		c.at = start.Add(24 * time.Hour)

		finer := statement()
		finer.RetrievedAt = finer.RetrievedAt.Truncate(time.Second).In(ro.Bucharest)
		if again := issue(t, one, finer); again.ID != r.ID || first.added != 1 {
			t.Errorf("id %s, want %s; written %d times", again.ID, r.ID, first.added)
		}

		other := open(t, store(), c) // another process
		if again := issue(t, other, statement()); again.ID != r.ID ||
			!bytes.Equal(rendered(t, again, "application/jwt"), jwt) {
			t.Error("another process signed the statement again")
		}
		if _, _, valid := verify(jwt, jwks(t, other)); !valid {
			t.Error("the other process does not publish the key")
		}
	})
}

func TestReceiptsAreShownAgain(t *testing.T) {
	forStores(t, func(t *testing.T, store func() receipt.Store) {
		i := open(t, store(), &clock{start})
		issued := issue(t, i, statement())
		answer, err := i.Receipt(t.Context(), issued.ID)
		testkit.NoError(t, err)

		r := answer.Value
		if r.ID != issued.ID || !r.IssuedAt.Equal(start) || r.KeptUntil.Year() != 2036 ||
			r.Statement.Name != statement().Name ||
			r.JWT != string(rendered(t, issued, "application/jwt")) || !strings.Contains(string(jwks(t, i)), r.KeyID) {
			t.Errorf("%+v", r)
		}

		for _, media := range []string{"application/jwt", "application/pdf"} {
			if !bytes.Equal(rendered(t, answer.Renderer, media), rendered(t, issued, media)) {
				t.Errorf("%s differs from the answer's", media)
			}
		}

		if _, err := i.Receipt(t.Context(), "rcp_aaaaaaaaaaaaaaaaaaaaaaaaaa"); err != op.ErrUnknown {
			t.Errorf("an unknown receipt: %v", err)
		}
	})
}

func TestKeysRotate(t *testing.T) {
	forStores(t, func(t *testing.T, store func() receipt.Store) {
		c, s := &clock{start}, store()
		i := open(t, s, c)
		old := rendered(t, issue(t, i, statement()), "application/jwt")
		kid := func(jwt []byte) any {
			header, _, valid := verify(jwt, jwks(t, i))
			if !valid {
				t.Errorf("at %v a receipt is not valid", c.at)
			}
			return header["kid"]
		}
		next := func() []byte {
			st := statement()
			st.RetrievedAt = c.at
			return rendered(t, issue(t, i, st), "application/jwt")
		}
		tidy := func(after time.Duration) {
			c.at = c.at.Add(after)
			testkit.NoError(t, i.Tidy(t.Context()))
		}

		tidy(364 * 24 * time.Hour)
		if n := len(i.Keys()); n != 1 {
			t.Errorf("%d keys after 364 days", n)
		}

		tidy(24 * time.Hour)
		if n := len(i.Keys()); n != 2 || kid(next()) != kid(old) {
			t.Errorf("%d keys after a year, or the new one signs before it was published for long enough", n)
		}

		tidy(time.Hour)
		if kid(next()) == kid(old) {
			t.Error("the old key still signs")
		}
		if keys, err := s.Keys(t.Context()); err != nil || len(keys[0].Private) == 0 {
			t.Errorf("the old key was erased while another process may sign with it: %v", err)
		}

		tidy(time.Hour)
		if keys, err := s.Keys(t.Context()); err != nil || len(keys[0].Private) != 0 || len(keys[1].Private) == 0 {
			t.Errorf("not only the old key was erased: %v", err)
		}

		if keys, err := i.Rotate(t.Context()); err != nil || len(keys) != 3 || keys[0].Number != 3 {
			t.Errorf("rotated to %v, %v", keys, err)
		}

		tidy(0)
		if n := len(i.Keys()); n != 3 {
			t.Errorf("%d keys after a manual rotation", n)
		}

		c.at = c.at.Add(2 * time.Hour)
		reopened := open(t, s, c)
		if kid(old) == kid(next()) || !bytes.Equal(jwks(t, reopened), jwks(t, i)) {
			t.Error("the old receipt is not verified after rotations")
		}
	})
}

// Processes that start, and rotate, at the same time agree on the keys.
func TestProcessesShareKeys(t *testing.T) {
	forStores(t, func(t *testing.T, store func() receipt.Store) {
		c := &clock{start}
		issuers := make([]*receipt.Issuer, 4)
		stores := []receipt.Store{store(), store(), store(), store()}
		each := func(do func(n int)) {
			var wg sync.WaitGroup
			for n := range issuers {
				wg.Go(func() { do(n) })
			}

			wg.Wait()
		}

		each(func(n int) { issuers[n] = open(t, stores[n], c) })
		if n := len(issuers[0].Keys()); n != 1 {
			t.Errorf("%d keys", n)
		}

		c.at = start.AddDate(1, 0, 0)
		each(func(n int) {
			if err := issuers[n].Tidy(t.Context()); err != nil {
				t.Error(err)
			}
		})
		for n := range issuers {
			if len(issuers[n].Keys()) != 2 || !bytes.Equal(jwks(t, issuers[n]), jwks(t, issuers[0])) {
				t.Errorf("process %d has %d keys", n, len(issuers[n].Keys()))
			}
		}
	})
}

func TestReceiptsAreKeptForTenYears(t *testing.T) {
	forStores(t, func(t *testing.T, store func() receipt.Store) {
		c := &clock{start}
		i := open(t, store(), c)
		old := issue(t, i, statement())
		c.at = start.AddDate(10, 0, 0)
		testkit.NoError(t, i.Tidy(t.Context()))
		if _, err := i.Receipt(t.Context(), old.ID); err != nil {
			t.Errorf("after ten years: %v", err)
		}

		c.at = c.at.Add(time.Second)
		testkit.NoError(t, i.Tidy(t.Context()))
		if _, err := i.Receipt(t.Context(), old.ID); err != op.ErrUnknown {
			t.Errorf("after more than ten years: %v", err)
		}
	})
}

// If the deployment's secret changes, the private keys are lost, but no receipts.
func TestSaltFollowsTextCallerAndSecret(t *testing.T) {
	salt := func(secret, text string, caller account.Caller) string {
		i, err := receipt.Open(t.Context(), receipt.Options{Store: openPlace(t, t.TempDir()+"/history.db"),
			Secret: []byte(secret), Logger: slog.New(slog.DiscardHandler)})
		testkit.NoError(t, err)
		return i.Salt(op.WithCaller(t.Context(), caller), []byte(text))
	}

	at := netip.MustParseAddr("192.0.2.1")
	caller := account.Caller{Key: &account.Key{Account: "acc-1"}, Address: at}
	moved := account.Caller{Session: &account.Session{Account: "acc-1"}, Address: at.Next()}
	first := salt("one secret", `{"amount":1}`, caller)
	if len(first) != 32 || salt("one secret", `{"amount":1}`, moved) != first {
		t.Errorf("%s is not the salt again, or too short", first)
	}

	seen := map[string]bool{first: true}
	for _, other := range []string{
		salt("one secret", `{"amount":2}`, caller), salt("another", `{"amount":1}`, caller),
		salt("one secret", `{"amount":1}`, account.Caller{Key: &account.Key{Account: "acc-2"}, Address: at}),
		salt("one secret", `{"amount":1}`, account.Caller{Address: at}),
		salt("one secret", `{"amount":1}`, account.Caller{Address: at.Next()}),
	} {
		if seen[other] {
			t.Errorf("another text, secret or caller has the salt %s too", other)
		}
		seen[other] = true
	}
}

func TestChangedSecretLosesOnlyPrivateKeys(t *testing.T) {
	forStores(t, func(t *testing.T, store func() receipt.Store) {
		s, c := store(), &clock{start}
		old := rendered(t, issue(t, open(t, s, c), statement()), "application/jwt")
		i, err := receipt.Open(t.Context(),
			receipt.Options{Store: s, Secret: []byte("another secret"),
				Logger: slog.New(slog.DiscardHandler), Now: c.now})
		testkit.NoError(t, err)

		st := statement()
		st.Date++
		renewed := rendered(t, issue(t, i, st), "application/jwt")
		_, claims, valid := verify(renewed, jwks(t, i))
		if _, named := claims["iss"]; !valid || named {
			t.Errorf("valid: %t, claims %v", valid, claims)
		}
		if _, _, valid := verify(old, jwks(t, i)); !valid {
			t.Error("the old receipt is not valid")
		}
	})
}

func TestPrivateKeyIsStoredEncrypted(t *testing.T) {
	forStores(t, func(t *testing.T, store func() receipt.Store) {
		s := store()
		open(t, s, &clock{start})
		keys, err := s.Keys(t.Context())
		if err != nil || len(keys) != 1 {
			t.Fatal(keys, err)
		}

		k := keys[0]
		for at := range len(k.Private) - ed25519.SeedSize {
			private := ed25519.NewKeyFromSeed(k.Private[at : at+ed25519.SeedSize])
			if bytes.Equal(private.Public().(ed25519.PublicKey), k.Public) {
				t.Errorf("the seed is at byte %d", at)
			}
		}
	})
}

func TestThePage(t *testing.T) {
	i := open(t, fileStore(t), &clock{start})
	r := issue(t, i, statement())
	page := rendered(t, r, "application/pdf")
	if !bytes.Equal(page, rendered(t, r, "application/pdf")) {
		t.Error("two renderings differ")
	}

	text := pageText(t, page)
	if n := strings.Count(text, "\f"); n != 1 {
		t.Errorf("%d pages", n)
	}

	for _, want := range []string{
		"Dovada verificării", "Proof of verification", "Țesătoria Fără Șiret & Fiii SRL", "CUI 9900000010",
		"05.12.2020",
		"Plătitor de TVA", "da (yes), din 01.10.2017", "TVA la încasare", "necunoscut (unknown)",
		"Contribuabil inactiv", "nu (no)",
		"ANAF", "22.11.2026, 08:45:30 +02:00", strings.Repeat("0a", 32), string(r.ID),
		baseURL + "/v1/receipts/" + string(r.ID),
		"22.11.2026, 10:15:30 +02:00", "ANAF, registrul TVA la încasare", "date la (data of) 20.11.2026",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q cannot be read in\n%s", want, text)
		}
	}
}

// The page of a verdict has all rules with their results, and no label runs into its result.
func TestPageOfVerdict(t *testing.T) {
	invoice := verdict.Invoice{Payment: verdict.Cash}
	testkit.NoError(t, invoice.Amount.UnmarshalText([]byte("6000")))
	outcome, rules := verdict.Judge(&verdict.Facts{Day: ro.NewDate(2026, 11, 20), Invoice: invoice})
	text, err := json.Marshal(map[string]any{"rulesVersion": verdict.RulesVersion, "outcome": outcome, "rules": rules})
	testkit.NoError(t, err)

	s := statement()
	s.Status = proof.Certified(text)
	page := pageText(t, rendered(t, issue(t, open(t, fileStore(t), &clock{start}), s), "application/pdf"))
	for _, want := range []string{
		`incomplet: o regulă hotărâtoare nu s-a putut verifica`, `(?m)^Firma există +nu se știe \(unknown\): registrul nu a putut fi consultat`,
		`(?m)^Dreptul de folosință a sediului era  +nu se știe`,
		`(?m)^Plata în numerar se încadrează în  +NU se confirmă, atenție \(does not hold, attention\): suma`,
	} {
		if !regexp.MustCompile(want).MatchString(page) {
			t.Errorf("%s does not match\n%s", want, page)
		}
	}
	for _, rule := range rules {
		if !strings.Contains(page, rule.Label.English) {
			t.Errorf("the page lacks %s", rule.ID)
		}
	}
}

// The page of a verdict has the days behind its results, the days of the registers' data, and says that the register
// changed its mind.
func TestDaysOnPageOfVerdict(t *testing.T) {
	day := ro.NewDate(2020, 12, 10)
	then := &company.StatusesOnDay{Inactive: company.StatusOnDay{
		Value: new(true), From: new(day - 8), EnteredOn: new(day + 1),
	}, VATPayer: company.StatusOnDay{Value: new(false), From: new(day - 1000), To: new(day - 8)}}
	outcome, rules := verdict.Judge(&verdict.Facts{Day: day, Then: then})
	text, err := json.Marshal(map[string]any{"rulesVersion": verdict.RulesVersion, "outcome": outcome, "rules": rules,
		"changedRetroactively": true,
		"sources":              []company.Source{{Name: "onrc", AsOf: new(day + 5), RetrievedAt: &start}}})
	testkit.NoError(t, err)

	s := statement()
	s.Status = proof.Certified(text)
	page := pageText(t, rendered(t, issue(t, open(t, fileStore(t), &clock{start}), s), "application/pdf"))
	for _, want := range []string{
		`de lămurit înainte de plată sau de deducere`,
		`ultima perioadă \(last\s+period\), din \(from\) 16\.03\.2018, până în \(to\) 01\.12\.2020`,
		`din \(from\) 02\.12\.2020,\s+operat la \(entered on\)\s+11\.12\.2020`,
		`(?m)^Modificat ulterior +registrul arată acum altceva`,
		`(?m)^ONRC +date la \(data of\) 15\.12\.2020, primite la`,
	} {
		if !regexp.MustCompile(want).MatchString(page) {
			t.Errorf("%s does not match\n%s", want, page)
		}
	}
}

// The receipt of a VAT number names that number, in the JWT and on the page.
func TestReceiptOfVATNumber(t *testing.T) {
	i := open(t, fileStore(t), &clock{start})
	r := issue(t, i, proof.Statement{
		VATNumber: "DE445947920", Date: ro.NewDate(2026, time.November, 22), RetrievedAt: start,
		RecordSHA256: strings.Repeat("0a", 32),
		Status:       proof.Certified(`{"vatNumber":"DE445947920","status":"valid","requestDate":"2026-11-22T08:15:30Z","requester":"RO9900000010","consultationNumber":"WAPIAAAAX1","address":null}`),
	})
	_, claims, valid := verify(rendered(t, r, "application/jwt"), jwks(t, i))
	if !valid || claims["sub"] != "DE445947920" {
		t.Errorf("the subject is %v, valid %t", claims["sub"], valid)
	}
	if s := claims["statement"].(map[string]any); s["vatNumber"] != "DE445947920" || s["taxId"] != nil {
		t.Errorf("the statement is %v", s)
	}

	text := pageText(t, rendered(t, r, "application/pdf"))
	for _, want := range []string{"Cod de TVA DE445947920", "valid", "WAPIAAAAX1", "RO9900000010",
		"VIES (Comisia Europeană)", string(r.ID)} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}

	if strings.Contains(text, "invalid") {
		t.Errorf("the page calls a valid number invalid:\n%s", text)
	}
}

// pageText reads the text of a page.
func pageText(t *testing.T, page []byte) string {
	t.Helper()
	pdftotext, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext reads the document back: install poppler-utils")
	}

	read := exec.Command(pdftotext, "-layout", "-", "-")
	read.Stdin = bytes.NewReader(page)
	text, err := read.Output()
	testkit.NoError(t, err)

	return string(text)
}

// fileStore opens an empty SQLite store for the duration of the test. It does not sync to disk.
func fileStore(t *testing.T) receipt.Store {
	t.Helper()
	db := databases.Open(t, filepath.Join(t.TempDir(), "history.db"), store.Open)
	testkit.NoError(t, database.Exec(t.Context(), db.Writer, `PRAGMA synchronous = OFF`))

	return db
}

// Callers without a key get a bounded number of new receipts a day; stored receipts are still found, and accounts are
// affected only where the answer costs them nothing, because no register has the company.
func TestReceiptsOfAnonymousCallers(t *testing.T) {
	db := fileStore(t)
	c, issued := &clock{start}, receipt.NewMemory()
	reload := func() *receipt.Issuer {
		i, err := receipt.Open(t.Context(), receipt.Options{Store: db, Secret: secret, BaseURL: baseURL,
			Logger: slog.New(slog.DiscardHandler), Now: c.now, Memory: issued})
		testkit.NoError(t, err)
		return i
	}
	i := reload()
	certify := func(caller account.Caller, n int) error {
		s := statement()
		s.TaxID = ro.CUI(n)
		_, _, err := i.Certify(op.WithCaller(t.Context(), caller), s)
		return err
	}

	var err error
	n := 0
	for ; n < 10_000; n++ {
		if err = certify(account.Caller{}, n); err != nil {
			break
		}
	}

	if err != proof.ErrReceiptsUsedUp || n != 5000 {
		t.Fatalf("after %d: %v", n, err)
	}

	i = reload()
	if err := certify(account.Caller{}, n); err != proof.ErrReceiptsUsedUp {
		t.Errorf("after a reload: %v", err)
	}
	if err := certify(account.Caller{}, 17); err != nil {
		t.Errorf("a stored one: %v", err)
	}
	if err := certify(account.Caller{Key: &account.Key{Account: "acc-1"}}, n); err != nil {
		t.Errorf("an account: %v", err)
	}
	unknown := statement()
	unknown.Name = ""
	ctx := op.WithCaller(t.Context(), account.Caller{Key: &account.Key{Account: "acc-1"}})
	if _, _, err := i.Certify(ctx, unknown); err != proof.ErrReceiptsUsedUp {
		t.Errorf("an account, and no company, which costs nothing: %v", err)
	}

	c.at = c.at.Add(24 * time.Hour)
	if err := certify(account.Caller{}, n+1); err != nil {
		t.Errorf("the next day: %v", err)
	}
}
