package onrc

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// generalLegend is the legend of the form since 2019.
var generalLegend = func() (text string) {
	for i, label := range statements.Labels[:20] {
		text += fmt.Sprintf("%s;i%d\r\n", label, i+1)
	}
	return text
}()

// statementBody returns a file with the statement of a company, whose turnover is given.
func statementBody(turnover int) string {
	return fmt.Sprint(invented.CUI(1), ",6210", strings.Repeat(",", 13), turnover, strings.Repeat(",", 7), "\r\n")
}

// publishedFile is a file of a package of statements.
type publishedFile struct{ in, name, format, modified, body string }

// publishStatements lists packages of statements, and serves their files.
func (f *files) publishStatements(all ...publishedFile) {
	list := map[string]*dataset{}
	for i, file := range all {
		d := list[file.in]
		if d == nil {
			d = &dataset{Name: file.in}
			list[file.in] = d
		}

		path := fmt.Sprintf("/%s/%d/download/datele", file.in, i)
		f.put(path, file.body)
		d.Resources = append(d.Resources, resource{Name: file.name, URL: f.URL + path, Format: file.format,
			Size: int64(len(file.body)), Modified: file.modified})
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	f.packages = nil
	for _, d := range list {
		f.packages = append(f.packages, *d)
	}
}

// keepAll takes all steps of the statements.
func keepAll(t *testing.T, r *Register) {
	t.Helper()
	for range 100 {
		if !r.keepStatements(t.Context()) {
			return
		}
	}
	t.Fatal("there are always more statements")
}

// turnovers returns the turnovers of the company by year, family and resource.
func turnovers(t *testing.T, dir string) string {
	t.Helper()
	store, err := statements.Open(StatementsDir(dir))
	testkit.NoError(t, err)
	defer store.Close()

	all, err := store.Of(invented.CUI(1))
	testkit.NoError(t, err)

	var texts []string
	for _, s := range all {
		turnover, _ := s.Figure(12)
		texts = append(texts, fmt.Sprint(s.File.Key, " ", turnover))
	}

	return strings.Join(texts, ", ")
}

// TestWhichStatements verifies which of several files of a year counts, and that other files of a package do not.
func TestWhichStatements(t *testing.T) {
	const base, again = "situatii_financiare_2024", "situatii_financiare_2024_actualizat"
	legend := func(in, name string) publishedFile {
		return publishedFile{in, name, "CSV", "2025-06-01T08:00:00", generalLegend}
	}
	data := func(in, name, day string, turnover int) publishedFile {
		return publishedFile{in, name, "TXT", "2025-" + day + "T08:00:00", statementBody(turnover)}
	}
	for name, test := range map[string]struct {
		files []publishedFile
		want  string
	}{
		"junk": {[]publishedFile{
			legend(base, "web_uu_an2024.csv"), data(base, "web_uu_an2024.txt", "06-01", 1),
			{base, "test.docx", "XLSX", "2025-07-01", "x"},
			{base, "fisier_test.txt", "TXT", "2025-07-01", "fisier\r\n"},
			{base, "WEB_ONG_AN2024", "TXT", "2025-07-01", statementBody(9)},
		}, "2024-uu 1"},
		"two of the same name": {[]publishedFile{
			legend(base, "web_uu_an2024.csv"), data(base, "web_uu_an2024.txt", "06-02", 2),
			data(base, "web_uu_an2024.txt", "06-01", 1),
		}, "2024-uu 2"},
		"a reissued package": {[]publishedFile{
			legend(base, "web_uu_an2024.csv"), data(base, "web_uu_an2024.txt", "06-09", 1),
			legend(again, "web_uu_an2024.csv"), data(again, "web_uu_an2024.txt", "06-02", 2),
		}, "2024-uu 2"},
		"a reissued file": {[]publishedFile{
			legend(base, "web_uu_an2024.csv"), data(base, "web_uu_an2024.txt", "06-09", 1),
			data(base, "web_uu_an2024 - actualizat", "06-02", 2),
		}, "2024-uu 2"},
		"a reissue in the package of another year": {[]publishedFile{
			legend(base, "webuuan2015.csv"), data(base, "webuuan2015", "06-02", 3),
			{"situatii_financiare_2015", "webuuan2015.csv", "CSV", "2016-06-01", generalLegend},
			{"situatii_financiare_2015", "webuuan2015.txt", "TXT", "2016-06-01", statementBody(1)},
		}, "2015-uu 3"},
		"names of all years": {[]publishedFile{
			legend(base, "web_uu_2012"), data(base, "web_uu_2012", "06-01", 12),
			legend(base, "webblbsslan2014"), data(base, "webblbsslan2014", "06-01", 14),
			legend(base, "webir2016"), data(base, "webir2016", "06-01", 16),
			legend(base, "WEBIRAN2017"), data(base, "WEBIRAN2017", "06-01", 17),
			legend(base, "WEB_BL_BS_SL_AN2020"), data(base, "WEB_BL_BS_SL_AN2020", "06-01", 20),
			legend(base, "WEB_IR_AN2021"), data(base, "WEB_IR_AN2021", "06-01", 21),
			legend(base, "web_uu_2008"), data(base, "web_uu_2008", "06-01", 8),
		}, "2021-ir 21, 2020-bl 20, 2017-ir 17, 2016-ir 16, 2014-bl 14, 2012-uu 12"},
		"the package of 2023": {[]publishedFile{
			legend("situatii_financiare2023", "web_uu_an2023.csv"),
			data("situatii_financiare2023", "web_uu_an2023.txt", "06-01", 23),
		}, "2023-uu 23"},
	} {
		t.Run(name, func(t *testing.T) {
			f, dir := newFiles(t), t.TempDir()
			f.publishStatements(test.files...)
			r, log := keeper(t, f, dir)
			if keepAll(t, r); turnovers(t, dir) != test.want {
				t.Errorf("loaded are %q, want %q; the log is %s", turnovers(t, dir), test.want, log)
			}
		})
	}
}

// TestRefusedReissue verifies that a refused reissue does not leave a year without the statements that it replaces.
// They are read once, the year counts as refused, and a corrected reissue replaces them.
func TestRefusedReissue(t *testing.T) {
	const base, again = "situatii_financiare_2024", "situatii_financiare_2024_actualizat"
	f, dir := newFiles(t), t.TempDir()
	r, log := keeper(t, f, dir)
	publish := func(day, legend string) {
		f.publishStatements(publishedFile{base, "web_uu_an2024.csv", "CSV", "2025-06-01", generalLegend},
			publishedFile{base, "web_uu_an2024.txt", "TXT", "2025-06-01", statementBody(1)},
			publishedFile{again, "web_uu_an2024.csv", "CSV", day, legend},
			publishedFile{again, "web_uu_an2024.txt", "TXT", day, statementBody(2)})
		r.waiting.checkAt = time.Time{} // as on the next day
		keepAll(t, r)
	}
	expect := func(when, want string, coverage company.Coverage) {
		t.Helper()
		store, err := statements.Open(StatementsDir(dir))
		testkit.NoError(t, err)
		defer store.Close()

		got, _ := store.Coverage(statements.Key{Year: 2024, Family: company.SmallForm})
		if turnovers(t, dir) != want || got != coverage {
			t.Errorf("%s, loaded are %q, want %q; the file is %s; the log is %s", when, turnovers(t, dir), want, got,
				log)
		}
	}

	broken := strings.Replace(generalLegend, "Stocuri", "Creante", 1)
	publish("2026-06-01", broken)
	expect("at first", "2024-uu 1", company.FileRefused)
	asked := len(f.ranges())
	if r.waiting.checkAt = (time.Time{}); r.keepStatements(t.Context()) || len(f.ranges()) != asked {
		t.Error("a refused reissue, or the file that it replaces, is fetched again")
	}

	publish("2026-06-02", broken)
	expect("after another refusal", "2024-uu 1", company.FileRefused)
	publish("2026-06-03", generalLegend)
	expect("once it is corrected", "2024-uu 2", company.FileLoaded)
}

// TestRefusedStatements verifies that a year that is not understood is refused once, that the old file stays, and that
// a corrected one is read.
func TestRefusedStatements(t *testing.T) {
	const in = "situatii_financiare_2024"
	f, dir := newFiles(t), t.TempDir()
	r, log := keeper(t, f, dir)
	publish := func(day, legend, body string) {
		f.publishStatements(publishedFile{in, "web_uu_an2024.csv", "CSV", day, legend},
			publishedFile{in, "web_uu_an2024.txt", "TXT", day, body},
			publishedFile{in, "web_ir_an2024.csv", "CSV", day, generalLegend},
			publishedFile{in, "web_ir_an2024.txt", "TXT", "2025-06-01", statementBody(7)})
		r.waiting.checkAt = time.Time{} // as on the next day
		keepAll(t, r)
	}
	coverage := func() company.Coverage {
		store, err := statements.Open(StatementsDir(dir))
		testkit.NoError(t, err)
		defer store.Close()

		c, _ := store.Coverage(statements.Key{Year: 2024, Family: company.SmallForm})
		return c
	}

	publish("2025-06-01", generalLegend, statementBody(1))
	if coverage() != company.FileLoaded {
		t.Fatalf("a good file is %s; the log is %s", coverage(), log)
	}

	for day, bad := range map[string][2]string{
		"2025-06-02": {strings.Replace(generalLegend, "Stocuri", "Creante", 1), statementBody(2)},
		"2025-06-03": {generalLegend, strings.TrimSpace(statementBody(2)) + ",\r\n"},
		"2025-06-04": {generalLegend, ""},
	} {
		publish(day, bad[0], bad[1])
		store, err := statements.Open(StatementsDir(dir))
		testkit.NoError(t, errors.Join(err, store.Close()))
		if coverage() != company.FileRefused || len(store.Files()) != 2 {
			t.Errorf("on %s the file is %s, there are %d", day, coverage(), len(store.Files()))
		}
	}

	asked := len(f.ranges())
	if r.waiting.checkAt = (time.Time{}); r.keepStatements(t.Context()) || len(f.ranges()) != asked {
		t.Error("a refused file is fetched again")
	}
	if n := strings.Count(log.String(), "refusing yearly statements"); n != 3 {
		t.Errorf("%d refusals are logged", n)
	}
	if publish("2025-06-05", generalLegend, statementBody(5)); coverage() != company.FileLoaded {
		t.Errorf("the corrected file is %s", coverage())
	}
}

// TestStatementsAreLoadedOneByOne verifies that a step loads one file, so that a release does not wait for the rest,
// that an interrupted file is read again, and that complete files are not.
func TestStatementsAreLoadedOneByOne(t *testing.T) {
	f, dir := newFiles(t), t.TempDir()
	var all []publishedFile
	for year := 2023; year <= 2025; year++ {
		in := strings.Replace(fmt.Sprintf("situatii_financiare_%d", year), "_2023", "2023", 1)
		name := fmt.Sprintf("web_uu_an%d", year)
		all = append(all, publishedFile{in, name, "CSV", "2026-06-01", generalLegend},
			publishedFile{in, name, "TXT", "2026-06-01", statementBody(year)})
	}

	f.publishStatements(all...)
	r, _ := keeper(t, f, dir)
	if more := r.keepStatements(t.Context()); !more || turnovers(t, dir) != "" {
		t.Errorf("after the look at the portal: %v, %q", more, turnovers(t, dir))
	}
	if more := r.keepStatements(t.Context()); !more || turnovers(t, dir) != "2025-uu 2025" {
		t.Errorf("after a step: %v, %q", more, turnovers(t, dir))
	}

	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	if more := r.keepStatements(interrupted); more || turnovers(t, dir) != "2025-uu 2025" {
		t.Errorf("after an interrupted step: %v, %q", more, turnovers(t, dir))
	}

	asked := len(f.ranges())
	again, _ := keeper(t, f, dir) // after a restart
	keepAll(t, again)
	if n := len(f.ranges()) - asked; n != 4 || turnovers(t, dir) != "2025-uu 2025, 2024-uu 2024, 2023-uu 2023" {
		t.Errorf("after a restart: %d files are fetched, %q", n, turnovers(t, dir))
	}
}

func TestStatementsOfFewerYears(t *testing.T) {
	f, dir := newFiles(t), t.TempDir()
	last := ro.Today().Year() - 1
	var all []publishedFile
	for year := last - 2; year <= last; year++ {
		name := fmt.Sprintf("web_uu_an%d", year)
		in := fmt.Sprintf("situatii_financiare_%d", year)
		all = append(all, publishedFile{in, name, "CSV", "2026-06-01", generalLegend},
			publishedFile{in, name, "TXT", "2026-06-01", statementBody(1)})
	}

	f.publishStatements(all...)
	r, _ := keeper(t, f, dir)
	r.o.Statements = 2
	if keepAll(t, r); turnovers(t, dir) != fmt.Sprintf("%d-uu 1, %d-uu 1", last, last-1) {
		t.Errorf("loaded are %q", turnovers(t, dir))
	}
}

// TestSourceOfStatements verifies what is kept about a file.
func TestSourceOfStatements(t *testing.T) {
	for text, want := range map[string]string{
		`null`: "null", `""`: "null", `"notspecified"`: "null", `"cc-by"`: `"cc-by"`,
	} {
		var d dataset
		testkit.NoError(t, json.Unmarshal([]byte(`{"license_id":`+text+`}`), &d))
		if got, _ := json.Marshal(d.license()); string(got) != want {
			t.Errorf("the licence %s is %s", text, got)
		}
	}

	f, dir := newFiles(t), t.TempDir()
	const in = "situatii_financiare_2025"
	f.publishStatements(publishedFile{in, "WEB_UU_AN2025.csv", "CSV", "2026-06-18T09:00:00", generalLegend},
		publishedFile{in, "WEB_UU_AN2025.txt", "TXT", "2026-06-18T09:00:00", statementBody(1)})
	r, _ := keeper(t, f, dir)
	keepAll(t, r)
	store, err := statements.Open(StatementsDir(dir))
	testkit.NoError(t, err)
	defer store.Close()

	file := store.Files()[0]
	if file.Package != in || file.Resource != "WEB_UU_AN2025.txt" || file.Date.String() != "2026-06-18" ||
		file.License != nil || file.SHA256 != fmt.Sprintf("%x", sha256.Sum256([]byte(statementBody(1)))) {
		t.Errorf("the source is %+v", file)
	}
}

// TestFirstFormatIsReadAgain verifies that the files of the format in which an empty figure was 0 are replaced.
func TestFirstFormatIsReadAgain(t *testing.T) {
	from, dir := written(t, "firme-02-09-2026", 50, true), t.TempDir()
	writeStatements(t, from, 50, 2025)
	old := filepath.Join(StatementsDir(dir), "2025.statements")
	testkit.NoError(t, errors.Join(os.MkdirAll(StatementsDir(dir), 0o700), os.WriteFile(old, []byte("rodatast"), 0o600),
		os.WriteFile(old+".origin", nil, 0o600)))

	mustLoad(t, Options{From: from, Dir: dir})
	if left, _ := filepath.Glob(filepath.Join(StatementsDir(dir), "2025.*")); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
	wantStatements(t, dir, 2025)
}

// TestInstallLaterStatements verifies that statements that were loaded after a release reach the gateways that have it.
func TestInstallLaterStatements(t *testing.T) {
	folder, dir := t.TempDir(), t.TempDir()
	p := publisher(t, folder, "firme-02-09-2026", 50)
	mustOffer(t, p)
	r := taker(t, folder, dir, nil)
	r.update(t.Context())

	f := newFiles(t)
	const in = "situatii_financiare_2025"
	f.publishStatements(publishedFile{in, "web_uu_an2025", "CSV", "2026-06-18", generalLegend},
		publishedFile{in, "web_uu_an2025", "TXT", "2026-06-18", statementBody(25)})
	p.o.Portal = mustPortal(t, f.URL)
	keepAll(t, p)
	first := published(t, folder)
	if again := mustOffer(t, p); again.Statements.IsZero() || !again.follows(first) {
		t.Errorf("published is %+v", again)
	}
	if r.update(t.Context()); turnovers(t, dir) != "2025-uu 25" || r.Status().Err != nil {
		t.Errorf("installed are %q, %+v", turnovers(t, dir), r.Status())
	}

	before, _ := listSegments(dir)
	r.update(t.Context())
	if after, _ := listSegments(dir); len(after) != 1 || after[0].path != before[0].path {
		t.Error("the same publication was installed twice")
	}
}

// TestStatementsLeaveTheProcessorToCallers verifies that a reader that works all the time does so for a tenth of it.
func TestStatementsLeaveTheProcessorToCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const reads, work = 10, 2 * time.Millisecond
		r := &pacedReader{ctx: t.Context(), Reader: strings.NewReader(strings.Repeat("x", reads))}
		began := time.Now()
		for range reads {
			if n, err := r.Read(make([]byte, 1)); n != 1 || err != nil {
				t.Fatalf("read %d bytes, %v", n, err)
			}
			<-time.After(work)
		}
		if took := time.Since(began); took != work+(reads-1)*10*work {
			t.Errorf("%d reads took %s", reads, took)
		}

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r.ctx = ctx
		if _, err := r.Read(nil); !errors.Is(err, context.Canceled) {
			t.Errorf("after the end of the context: %v", err)
		}
	})
}
