package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
	"github.com/rodata/rodata/testkit/traderegister"
	"github.com/rodata/rodata/upstream/onrc"
)

func TestLoadRegisterFromAFolder(t *testing.T) {
	from := filepath.Join(t.TempDir(), "firme-02-09-2026")
	release := traderegister.Release{Dir: from}
	testkit.NoError(t, release.Write(traderegister.Firms(300, 1)))

	var out, progress bytes.Buffer
	testkit.NoError(t, loadRegister(t.Context(), &out, &progress, onrc.Options{From: from, Dir: t.TempDir()}))

	for _, want := range []string{
		"Loaded the release of 2026-09-02: 300 companies", "rows of OD_FIRME", "Dropped or mended:",
		"rows cut by line breaks, joined",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %s", want, &out)
		}
	}

	for _, step := range []string{"reading the files", "building the index"} {
		if lines := regexp.MustCompile(step+` .* 100 %`).FindAllString(progress.String(), -1); len(lines) != 1 {
			t.Errorf("%s ends with %q: %s", step, lines, &progress)
		}
	}
}

func TestLoadRegisterFromThePortal(t *testing.T) {
	t.Setenv("RODATA_ONRC_URL", standin.For(t, standin.Options{}).ONRC.URL)
	dir := t.TempDir()
	for _, want := range []string{"245 companies in", "is already loaded: 245 companies"} {
		var out, progress bytes.Buffer
		testkit.NoError(t, loadRegister(t.Context(), &out, &progress, onrc.Options{Dir: dir}))
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %s", want, &out)
		}
	}
}

func TestLoadRegisterFails(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tests := map[string]struct {
		ctx  context.Context
		url  string
		from string
	}{
		"no such folder": {t.Context(), "", filepath.Join(t.TempDir(), "none")},
		"a bad address":  {t.Context(), "http://data.gov.example", ""},
		"interrupted":    {ended, "http://127.0.0.1:1", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("RODATA_ONRC_URL", test.url)
			var out, progress bytes.Buffer
			if err := loadRegister(test.ctx, &out, &progress,
				onrc.Options{From: test.from, Dir: t.TempDir()}); err == nil ||
				out.Len() > 0 {
				t.Errorf("the error is %v, the output %s", err, &out)
			}
		})
	}
}

func TestProgressLine(t *testing.T) {
	began := time.Now()
	tests := map[string]struct {
		progress onrc.Progress
		want     string
	}{
		"bytes": {
			onrc.Progress{Step: "reading the files", Done: 500_000_000, Total: 2_000_000_000, Unit: "bytes",
				Began: began},
			"reading the files    [=======                       ]  25 %  500 MB of 2.0 GB, 50 MB/s, 30s left",
		},
		"companies": {
			onrc.Progress{Step: "building the index", Done: 4_200_000, Total: 4_200_000, Unit: "companies",
				Began: began},
			"building the index   [==============================] 100 %  4,200,000 of 4,200,000 companies, 420,000/s",
		},
		"nothing yet": {
			onrc.Progress{Step: "reading the files", Unit: "bytes", Began: began.Add(10 * time.Second)},
			"reading the files    [                              ]   0 %  0 B of 0 B, 0 B/s",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := progressLine(test.progress, began.Add(10*time.Second)); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestProgressOnATerminal(t *testing.T) {
	var out bytes.Buffer
	b := &progressBar{out: &out, terminal: true}
	b.show(onrc.Progress{Step: "one", Unit: "bytes"})
	b.show(onrc.Progress{Step: "one", Unit: "bytes"})
	b.show(onrc.Progress{Step: "two", Unit: "companies"})
	b.end()
	if lines := strings.Split(out.String(), "\n"); len(lines) != 3 || strings.Count(lines[0], "\r") != 2 ||
		strings.Count(lines[1], "\r") != 1 {
		t.Errorf("drawn was %q", lines)
	}
}

func TestSummaryThatCannotBeWritten(t *testing.T) {
	full := errors.New("the disk is full")
	if err := printSummary(failing{full}, &onrc.Summary{}); !errors.Is(err, full) {
		t.Errorf("the error is %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
