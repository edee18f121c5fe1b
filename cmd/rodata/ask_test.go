package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/testkit/standin"
)

// TestAskingLong runs the commands that call a gateway against a shared sandbox.
func TestAskingLong(t *testing.T) {
	long.Only(t, "starts processes and waits for them")
	address, printed, stop := runSandbox(t)
	defer stop()
	key := regexp.MustCompile(`API key +(\w+)`).FindStringSubmatch(printed)
	if key == nil {
		t.Fatalf("it tells of no key: %s", printed)
	}

	t.Setenv("RODATA_URL", address)
	t.Setenv("RODATA_KEY", key[1])

	t.Run("what is printed for people", printedForPeople)
	t.Run("what is printed for programs", printedForPrograms)
	t.Run("what the pages show", shownByPages)
	t.Run("exit codes", exitCodesOfAnswers)
	t.Run("watching", watching)
	t.Run("files as jobs", filesAsJobs)
	t.Run("lists without a key", listsWithoutAKey)
	t.Run("a wrong key", func(t *testing.T) {
		t.Setenv("RODATA_KEY", key[1]+"x")
		if _, errs, err := typed("watch", "list"); exitCode(err) != 1 ||
			!strings.Contains(errs, "refuses the key in RODATA_KEY") {
			t.Errorf("got %v, %s", err, errs)
		}
	})
}

// columns matches the spaces between columns, which are as wide as the longest cell requires.
var columns = regexp.MustCompile(` {2,}`)

func printedForPeople(t *testing.T) {
	release := standin.CompleteRelease(time.Now()).Format(time.DateOnly)
	for line, want := range map[string][]string{
		"get RO9900000010": {
			"EXEMPLU TRANSILVAN S.R.L.\n", "  VAT                yes, since 2012-04-04\n",
			"  RO e-Factura       yes, since 2022-07-01\n", "anaf: as of ", "onrc: as of " + release + ", asked ",
		},
		"get 9900000010 --date 2026-06-10": {"  Statuses of        2026-06-10\n"},
		"get J12/101/2012 --include insolvency,balanceSheets": {"  Insolvency         no proceedings in the " +
			"trade register\n", "  Statement of 20"},
		"get 9900000010 --fields name,seat.city": {"name                       seat.city\n" +
			"EXEMPLU TRANSILVAN S.R.L.  Cluj-Napoca\n"},
		"search exemplu transilvan": {"TAX ID      NAME ",
			"9900000010  EXEMPLU TRANSILVAN SRL", "1 of 1; trade register of " + release},
		"search exemplu transilvan --state in_operation,insolvent": {"9900000010  EXEMPLU TRANSILVAN SRL"},
		"fx EUR USD --date 2026-06-10": {"CURRENCY  RON\nEUR       5.2344\n" +
			"USD       4.5286\n", "Fixing of 2026-06-10"},
		"fx eur --convert 100 --date 2026-06-10":   {"100 EUR = 523.44 RON\n1 EUR = 5.2344 RON, fixing of 2026-06-10\n"},
		"fx XAU --date 2026-06-10":                 {"XAU (gram)  "},
		"fx XAU --convert 1 --date 2026-06-10":     {", fixing of 2026-06-10; 1 XAU is a gram of gold\n"},
		"fx EUR --date 2026-06-10 --invoice":       {"Fixing of 2026-06-09, which applies to 2026-06-10"},
		"fx EUR --from 2026-07-31 --to 2026-08-02": {"DATE        EUR IN RON\n2026-07-31  5.2473\n"},
		"caen 6210": {"      6210  Activități de realizare a softului la comandă",
			"In place of CAEN Rev.2: 6201"},
		"caen coafor": {"9621  class  Activități de coafură și frizerie"},
		"status 9900000010 --date 2026-06-10": {"EXEMPLU TRANSILVAN S.R.L., 9900000010, on 2026-06-10\n",
			"  VAT                yes    2012-04-04", "  Receipt  rcp_"},
		"status 9900000010 --date 2026-06-10 --known-at 2026-06-12": {"as it could be known on 2026-06-12"},
		"verify 9900000010 --date 2026-06-10 --payment cash --amount 5001": {
			"EXEMPLU TRANSILVAN S.R.L., 9900000010, on 2026-06-10, as it could be known on 2026-06-10\nATTENTION: ",
			"  It was not declared inactive                     stop       pass\n",
			"fail            the amount exceeds the ceiling: the rest must be paid by bank\n", "  Receipt  rcp_"},
		"verify 9900000029": {"STOP: clear it up before paying or deducting\n", "fail            the company was struck off"},
		"verify 9900010006": {"A company that no register knows, 9900010006", "STOP: "},
		"verify 9900009036": {"A company whose name is not known, 9900009036", "INCOMPLETE: "},
		"verify 9900000088": {"the company was declared inactive, from 2009-05-05, entered on 2009-05-07\n",
			"cancelled, last period from 2008-06-19, until 2009-03-16, entered on 2009-03-18\n"},
		"verify 9900000010 --name ALTCEVA": {
			"the names have no word in common, registered name: EXEMPLU TRANSILVAN S.R.L.\n"},
		"verify 9900000134 --date 2020-12-10": {"anaf-bilant: as of 2020-07-15\n",
			"Use --known-at with today's date to see it. Concerned: " +
				"It was not declared inactive; It was registered for VAT\n"},
		"vat DE811569869": {"NUMBER       STATUS", "DE811569869  valid"},
	} {
		out, errs, err := typed(strings.Fields(line)...)
		if err != nil || errs != "" || strings.Contains(out, "\x1b") {
			t.Errorf("%s: got %v, %q, %q", line, err, errs, out)
		}

		for _, part := range want {
			if !strings.Contains(columns.ReplaceAllString(out, "  "), columns.ReplaceAllString(part, "  ")) {
				t.Errorf("%s: %q is not in\n%s", line, part, out)
			}
		}
	}
}

func printedForPrograms(t *testing.T) {
	for _, line := range []string{
		"get 9900000010", "search exemplu transilvan", "fx EUR", "fx EUR --convert 1",
		"fx EUR --from 2026-06-08 --to 2026-06-10",
		"caen 6210", "caen coafor",
		"status 9900000010", "verify 9900000010", "vat DE811569869", "watch list", "watch changes",
	} {
		out, errs, err := typed(append(strings.Fields(line), "--json")...)
		dec := json.NewDecoder(strings.NewReader(out))
		for dec.More() && err == nil {
			var value any
			err = dec.Decode(&value)
		}
		if err != nil || errs != "" {
			t.Errorf("%s --json: got %v, %q, %q", line, err, errs, out)
		}

		out, errs, err = typed(append(strings.Fields(line), "--csv")...)
		if err != nil || errs != "" {
			t.Errorf("%s --csv: got %v, %q", line, err, errs)
			continue
		}

		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil || len(rows) == 0 || len(rows) < 2 && !strings.HasPrefix(line, "watch") {
			t.Errorf("%s --csv: got %v, %q", line, err, out)
		}
	}

	out, errs, err := typed("search", "exemplu", "--csv", "--all")
	if rows, wrong := csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil || errs != "" || wrong != nil ||
		len(rows) < 50 {
		t.Errorf("an export: got %v, %q, %v and %d rows", err, errs, wrong, len(rows))
	}
}

func exitCodesOfAnswers(t *testing.T) {
	unknown, down := standin.FaultNumbers[0].CUI.String(), standin.FaultNumbers[1].CUI.String()
	for line, want := range map[string]struct {
		code int
		says string
	}{
		"get " + unknown:            {3, `or search by name with "rodata search <name>"`},
		"get " + down:               {4, ""},
		"get 9900000010 " + unknown: {3, "1 of 2 companies could not be shown"},
		"get 9900000011":            {3, "the control digit does not match"},
		"search zzzzzzzz":           {3, "no company matches"},
		"search --county CJ --vat no --inactive yes": {3, " that were never checked may match too"},
		"caen 6201":       {3, "use instead: 6210"},
		"caen zzzzzzzz":   {3, "no activity matches"},
		"caen 9999":       {3, `find codes by name with "rodata caen <activity>"`},
		"vat DE811569860": {3, ""},
		"vat " + string(standin.VATFaults[4].Number): {4, ""},
		"vat DE811569869 XX1 " + string(standin.VATFaults[4].Number): {4,
			"1 of 3 numbers could not be checked now; try again"},
		"fx EURO":                             {2, `received "EURO"`},
		"fx EUR --date 2100-01-01":            {2, "lies in the future"},
		"status 9900000010 --date 1900-01-01": {2, ""},
		"verify 9900000010 --amount 5,1":      {2, "did you mean 5.1?"},
		"verify 9900000010 --payment card":    {2, "one of bank, cash"},
		"verify 9900000010 --iban 1":          {2, "an IBAN: two letters"},
		"search exemplu --state sleeping":     {2, "in_operation"},
		"search --county Atlantis":            {2, ""},
		"search --city Atlantis":              {2, ""},
	} {
		_, errs, err := typed(strings.Fields(line)...)
		if err == nil || exitCode(err) != want.code || !strings.Contains(errs, want.says) ||
			strings.Contains(errs, "GET /v1") || strings.Contains(errs, "search_") {
			t.Errorf("%s: got %d, %s", line, exitCode(err), errs)
		}
	}
}

func watching(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"watch list", ""},
		{"watch add 9900000010 --reference SUP-001", "9900000010 is watched\n"},
		{"watch list", "9900000010"},
		{"watch list --csv", ",SUP-001,"},
		{"watch changes --tax-id 9900000010", ""},
		{"watch remove RO9900000010", "RO9900000010 is no longer watched\n"},
	} {
		if out, errs, err := typed(strings.Fields(c.line)...); err != nil || !strings.Contains(out, c.want) {
			t.Errorf("%s: got %v, %q, %q", c.line, err, out, errs)
		}
	}
}

func listsWithoutAKey(t *testing.T) {
	t.Setenv("RODATA_KEY", "")
	in := filepath.Join(t.TempDir(), "suppliers.csv")
	if err := os.WriteFile(in, []byte("Nume;CUI\nȘtefan;9900000010\nAna;123\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	out, errs, err := typed("batch", in, "--fields", "name,vatPayer")
	lines := strings.Split(out, "\r\n")
	if err != nil || lines[0] != "\ufeffNume;CUI;status;problem;asOf;name;vatPayer" ||
		!strings.HasPrefix(lines[1], "Ștefan;9900000010;200;;20") ||
		!strings.HasSuffix(lines[1], ";EXEMPLU TRANSILVAN S.R.L.;true") ||
		!strings.HasPrefix(lines[2], "Ana;123;400;") ||
		errs != recognised(in)+"2 rows: 1 found, 1 not found or not valid\n" {
		t.Errorf("got %v, %q, %q", err, out, errs)
	}
}

// recognised is what the program says about the file of these tests.
func recognised(file string) string {
	return file + `: 2 rows; tax ids in "CUI", no column of dates, header in row 1, delimiter ";"` + "\n"
}

// With a key, a file becomes a job, and the result is written to the requested file.
func filesAsJobs(t *testing.T) {
	long.Only(t, "starts processes and waits for them")
	dir := t.TempDir()
	in := filepath.Join(dir, "suppliers.csv")
	if err := os.WriteFile(in, []byte("Nume;CUI\nȘtefan;9900000010\nAna;123\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	for ending, begins := range map[string]string{
		"csv": "\ufeffNume;CUI;status;problem;asOf;name;vatPayer\r\n", "xlsx": "PK",
		"json": "[\n{", "ndjson": "{", "parquet": "PAR1",
	} {
		to := filepath.Join(dir, "checked."+ending)
		out, errs, err := typed("batch", in, "-o", to, "--fields", "name,vatPayer")
		if printed, ok := strings.CutPrefix(errs, recognised(in)); err != nil || out != "" || !ok ||
			!strings.HasPrefix(printed, "2 rows: 1 found, 1 not found or not valid, for ") {
			t.Errorf("%s: got %v, %q, %q", ending, err, errs, out)
		}
		if text, err := os.ReadFile(to); err != nil || !strings.HasPrefix(string(text), begins) {
			t.Errorf("%s: got %.100q, %v", ending, text, err)
		}
	}

	out, _, err := typed("batch", in, "--fields", "name,vatPayer")
	if err != nil || !strings.Contains(out, "\r\nȘtefan;9900000010;200;;") ||
		!strings.Contains(out, ";EXEMPLU TRANSILVAN S.R.L.;true\r\n") {
		t.Errorf("got %v, %q", err, out)
	}
}

// shownByPages runs the commands in docs/command-line.md and in the README. Their output must match the text below
// them.
func shownByPages(t *testing.T) {
	for _, path := range []string{"../../docs/command-line.md", "../../README.md"} {
		before, err := os.ReadFile(path)
		testkit.NoError(t, err)

		page := regexp.MustCompile("(?s)```text\n(\\$ rodata .*?)```").ReplaceAllStringFunc(string(before),
			func(block string) string {
				return "```text\n" + typedAgain(t, strings.TrimSuffix(strings.TrimPrefix(block, "```text\n"), "```")) +
					"```"
			})
		if testkit.Update() && page != string(before) {
			testkit.NoError(t, os.WriteFile(path, []byte(page), 0o644))
		} else if stable(page) != stable(string(before)) {
			t.Errorf("%s shows other answers than the commands print; go test ./cmd/rodata -run Asking "+
				"-update writes them anew, and gives\n%s", path, page)
		}
	}
}

// typedAgain is a block of commands with their current output.
func typedAgain(t *testing.T, block string) string {
	t.Helper()
	var now strings.Builder
	for line := range strings.Lines(block) {
		command, found := strings.CutPrefix(strings.TrimSpace(line), "$ rodata ")
		if !found {
			continue
		}

		out, errs, err := typed(strings.Fields(command)...)
		if errs != "" && exitCode(err) != 3 {
			t.Errorf("%s: got %v, %s", command, err, errs)
		}

		now.WriteString(line + strings.ReplaceAll(out, "\r", "") + errs)
	}

	return now.String()
}

// stable is a page without the parts that change between runs.
func stable(page string) string {
	return regexp.MustCompile(`as of \d{4}-\d\d-\d\d, asked [^,\n]*|trade register of \d{4}-\d\d-\d\d|rcp_\w+|just now|`+
		`\d+ (second|minute)s? ago`).ReplaceAllString(page, "...")
}
