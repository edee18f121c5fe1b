package onrc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// packageOf2024 is the name of a package, and small2024 the key of a file in it.
const packageOf2024 = "situatii_financiare_2024"

var small2024 = statements.Key{Year: 2024, Family: company.SmallForm}

// publish2024 publishes a file of 2024 with its legend, changed on a day.
func (f *files) publish2024(day, legend, body string) {
	f.publishStatements(publishedFile{packageOf2024, "web_uu_an2024.csv", "CSV", day, legend},
		publishedFile{packageOf2024, "web_uu_an2024.txt", "TXT", day, body})
}

// TestHostileStatements verifies that files which are broken, or made to do harm, are refused, and those loaded before
// stay.
func TestHostileStatements(t *testing.T) {
	three := ""
	for n := range 3 {
		three += strings.Replace(statementBody(1), invented.CUI(1).String(), invented.CUI(n+1).String(), 1)
	}

	for name, test := range map[string]struct{ legend, body string }{
		"an endless legend":        {generalLegend + strings.Repeat("x\n", maxLegend), three},
		"a legend of zero bytes":   {"", three},
		"a file of zero bytes":     {generalLegend, ""},
		"a third of the companies": {generalLegend, statementBody(2)},
		"mostly malformed lines":   {generalLegend, three + strings.Repeat("1,2\r\n", 4)},
		"an endless line":          {generalLegend, three + strings.Repeat("1", 1<<20)},
		"compressed content":       {generalLegend, "\x1f\x8b\x08\x00" + strings.Repeat("\x00", 1<<10)},
	} {
		t.Run(name, func(t *testing.T) {
			f, dir := newFiles(t), t.TempDir()
			r, log := keeper(t, f, dir)
			f.publish2024("2025-06-01", generalLegend, three)
			keepAll(t, r)
			f.publish2024("2025-06-02", test.legend, test.body)
			r.waiting.checkAt = time.Time{}
			keepAll(t, r)

			store, err := statements.Open(StatementsDir(dir))
			testkit.NoError(t, err)
			defer store.Close()

			if c, _ := store.Coverage(small2024); c != company.FileRefused || turnovers(t, dir) != "2024-uu 1" {
				t.Errorf("the file is %s, loaded are %q; the log is %s", c, turnovers(t, dir), log)
			}
		})
	}
}

// TestDescriptionsOfHostileStatements verifies that what a portal says about a file is shown in answers only if it is
// short and on one line.
func TestDescriptionsOfHostileStatements(t *testing.T) {
	for name, resourceName := range map[string]string{
		"a long name":           strings.Repeat("x", 1<<20),
		"a name of many spaces": "web_uu_an2024" + strings.Repeat(" ", 1<<20) + ".txt",
		"two lines":             "web_uu_an2024.txt\nMinisterul",
		"another direction":     "\u202eweb_uu_an2024.txt",
	} {
		var d dataset
		d.Resources = []resource{{Name: resourceName, URL: "https://portal.test/download/web_uu_an2024.txt"}}
		found := map[statements.Key]*statementSource{}
		if addStatements(found, d, func(resource) sourceFile { return sourceFile{} }); len(found) > 0 {
			t.Errorf("%s counts", name)
		}
	}

	const path = "web_uu_an2024/../../../web_uu_an2024.txt"
	var d dataset
	d.Resources = []resource{{Name: path, URL: "https://portal.test/download/" + path}}
	found := map[statements.Key]*statementSource{}
	addStatements(found, d, func(resource) sourceFile { return sourceFile{} })
	if source := found[small2024]; source == nil || statements.Path("", source.key) != "2024-uu.statements" {
		t.Errorf("a name with folders is %+v", found)
	}

	for _, license := range []string{"two\nlines", strings.Repeat("x", 101)} {
		if (dataset{License: &license}).license() != nil {
			t.Errorf("the licence is %.20q", license)
		}
	}

	f := newFiles(t)
	f.answer("/api/3/action/package_show", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"success": true, "result": {"name": "another\nname", "resources": [
			{"name": "web_uu_an2024.txt", "url": "https://portal.test/web_uu_an2024.txt"}]}}`)
	})
	all, err := mustPortal(t, f.URL).statements(t.Context(), 2024, 2024)
	if err != nil || !strings.HasPrefix(all[small2024].file.Package, packageOf2024) {
		t.Errorf("the source is %+v, %v", all[small2024], err)
	}
}

// TestCatalogIsWrittenBeforeStatements verifies that no file is put into place while the catalog cannot say so, because
// it would never be published, and that a damaged catalog is written again.
func TestCatalogIsWrittenBeforeStatements(t *testing.T) {
	f, dir := newFiles(t), t.TempDir()
	f.publish2024("2025-06-01", generalLegend, statementBody(1))
	r, log := keeper(t, f, dir)
	r.keepStatements(t.Context()) // looks

	catalog := filepath.Join(StatementsDir(dir), "catalog.json")
	testkit.NoError(t, errors.Join(os.Remove(catalog), os.MkdirAll(catalog+"/occupied", 0o700)))
	keepAll(t, r)
	loaded, _ := filepath.Glob(statements.Path(StatementsDir(dir), small2024))
	if len(loaded) > 0 || !strings.Contains(log.String(), "loading yearly statements failed") {
		t.Errorf("without a catalog, %q are loaded; the log is %s", loaded, log)
	}

	testkit.NoError(t, errors.Join(os.RemoveAll(catalog), os.WriteFile(catalog, []byte(`{"published": {"x": 1}}`), 0o600)))
	r.waiting.checkAt = time.Time{}
	if keepAll(t, r); turnovers(t, dir) != "2024-uu 1" {
		t.Errorf("after a damaged catalog, %q are loaded; the log is %s", turnovers(t, dir), log)
	}
	if c, err := statements.ReadCatalog(StatementsDir(dir)); err != nil || c.Changed.IsZero() || len(c.Published) != 1 {
		t.Errorf("the catalog is %+v, %v", c, err)
	}
}

// TestTwoGatewaysLoadStatements verifies that two gateways on one directory do not download a file twice, and that one
// that waits for the other sends no requests.
func TestTwoGatewaysLoadStatements(t *testing.T) {
	f, dir := newFiles(t), t.TempDir()
	f.publish2024("2025-06-01", generalLegend, statementBody(1))
	one, _ := keeper(t, f, dir)
	two, _ := keeper(t, f, dir)
	one.keepStatements(t.Context())
	two.keepStatements(t.Context())
	keepAll(t, one)
	asked := len(f.ranges())
	if keepAll(t, two); len(f.ranges()) != asked || turnovers(t, dir) != "2024-uu 1" {
		t.Errorf("%d files are downloaded again, loaded are %q", len(f.ranges())-asked, turnovers(t, dir))
	}

	looks := 0
	f.answer("/api/3/action/package_show", func(w http.ResponseWriter, _ *http.Request) {
		looks++
		w.WriteHeader(http.StatusInternalServerError)
	})
	unlock, err := lock(dir)
	testkit.NoError(t, err)
	defer unlock()

	one.waiting.checkAt = time.Time{}
	if one.keepStatements(t.Context()); looks > 0 {
		t.Errorf("%d requests are sent while another process holds the lock", looks)
	}
}

// slowly is a file without end that arrives byte by byte.
type slowly struct{}

func (slowly) Read(p []byte) (int, error) {
	<-time.After(fileIdle - time.Second)
	p[0] = '1'
	return 1, nil
}

func (slowly) Close() error { return nil }

// TestSlowStatements verifies that a portal that sends a byte now and then cannot stop the register for long.
func TestSlowStatements(t *testing.T) {
	dir := t.TempDir()
	testkit.NoError(t, os.MkdirAll(StatementsDir(dir), 0o700))
	synctest.Test(t, func(t *testing.T) {
		file := func(content io.ReadCloser) sourceFile {
			return sourceFile{open: func(context.Context) (io.ReadCloser, error) { return content, nil }}
		}
		source := &statementSource{key: small2024, file: statements.File{Origin: "slow"}, data: file(slowly{}),
			legend: file(io.NopCloser(strings.NewReader(generalLegend)))}
		l := &statementLoader{Options: Options{Dir: dir}, now: time.Now, meter: &meter{}}

		began := time.Now()
		if err := l.load(t.Context(), source); !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(began) > fileDeadline+fileIdle {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}

// TestWithdrawnStatements verifies that a year no longer counts as refused once the ministry withdraws a broken file,
// and that the one loaded before stays.
func TestWithdrawnStatements(t *testing.T) {
	f, dir := newFiles(t), t.TempDir()
	r, log := keeper(t, f, dir)
	step := func(legend string) company.Coverage {
		if f.publishStatements(); legend != "" {
			f.publish2024(legend[:8], legend, statementBody(1))
		}

		r.waiting.checkAt = time.Time{}
		keepAll(t, r)
		store, err := statements.Open(StatementsDir(dir))
		testkit.NoError(t, err)
		defer store.Close()

		c, _ := store.Coverage(small2024)
		return c
	}

	for i, step := range []struct {
		got, want company.Coverage
	}{
		{step("no legend"), company.FileRefused}, {step(""), company.FileNotPublished},
		{step(generalLegend), company.FileLoaded}, {step("no legend"), company.FileRefused},
		{step(""), company.FileLoaded},
	} {
		if step.got != step.want {
			t.Errorf("after step %d the file is %s, want %s; the log is %s", i, step.got, step.want, log)
		}
	}
}
