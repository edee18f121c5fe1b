package vatcollection

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// archiveOf returns an archive. The arguments alternate between the name and the text of a member.
func archiveOf(t testing.TB, members ...string) []byte {
	t.Helper()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for i := 0; i < len(members); i += 2 {
		w, err := z.Create(members[i])
		if err == nil {
			_, err = io.WriteString(w, members[i+1])
		}
		testkit.NoError(t, err)
	}

	testkit.NoError(t, z.Close())

	return archive.Bytes()
}

const line = "1#9900000010#20200101##20200101#20200101#I\n"

func TestArchives(t *testing.T) {
	good := archiveOf(t, "istoric.txt", strings.Repeat(line, 3))
	damaged := bytes.Clone(good)
	damaged[50]++
	for _, c := range []struct {
		name    string
		archive []byte
		rows    int
		refusal string
	}{
		{"lines", good, 3, ""},
		{"DOS line ends", archiveOf(t, "istoric.txt", strings.ReplaceAll(line+line, "\n", "\r\n")), 2, ""},
		{"without a line end", archiveOf(t, "istoric.txt", line+strings.TrimSpace(line)), 2, ""},
		{"in a folder, in capitals, beside another", archiveOf(t, "citeste.txt", "a", "date/ISTORIC.TXT", line), 1, ""},
		{"a heading and a few malformed lines", archiveOf(t, "istoric.txt", "ID#CUI\n"+line+"\xef\xbb\xbf\n"+line), 2,
			""},
		{"one malformed line in thirty",
			archiveOf(t, "istoric.txt", strings.Repeat(strings.Repeat(line, 29)+"x\n", 100)), 2900, ""},
		{
			"one malformed line in three", archiveOf(t, "istoric.txt", strings.Repeat(line+line+"x\n", 100)), 0,
			"lines are malformed",
		},
		{"nothing", nil, 0, "not a valid zip file"},
		{"half of it", good[:len(good)/2], 0, "not a valid zip file"},
		{"damaged", damaged, 0, "reading istoric.txt"},
		{"no member", archiveOf(t), 0, "it has no istoric.txt"},
		{"another member", archiveOf(t, "platitori.txt", line), 0, `it has no istoric.txt, but ["platitori.txt"]`},
		{"an empty member", archiveOf(t, "istoric.txt", ""), 0, "it has no lines"},
		{"empty lines", archiveOf(t, "istoric.txt", strings.Repeat("\n", 1000)), 0, "lines are malformed"},
		{"a long line", archiveOf(t, "istoric.txt", line+strings.Repeat("1", 300)+"\n"), 0,
			"line 2 is longer than 256 bytes"},
		{"a line without end", archiveOf(t, "istoric.txt", strings.Repeat("1", 1<<20)), 0,
			"line 1 is longer than 256 bytes"},
		{"other columns", archiveOf(t, "istoric.txt", strings.Repeat("9900000010;2020-01-01;;I\n", 50)), 0,
			"seven columns"},
		{"many members", archiveOf(t, manyMembers()...), 0, "it has 102 members"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, err := readArchive(c.archive)
			switch {
			case len(rows) != c.rows:
				t.Errorf("%d rows, want %d: %v", len(rows), c.rows, err)
			case c.refusal == "" && err != nil:
				t.Error(err)
			case c.refusal != "" && (!errors.Is(err, errRefused) || !strings.Contains(err.Error(), c.refusal)):
				t.Errorf("refused as %v, want %s", err, c.refusal)
			}
		})
	}
}

func manyMembers() (members []string) {
	for i := range 101 {
		members = append(members, fmt.Sprintf("%d.txt", i), "")
	}
	return append(members, "istoric.txt", line)
}

// endless is a member without an end.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, strings.Repeat(line, len(p)/len(line)+1)[e.read%len(line):])
	e.read += n
	return n, nil
}

func TestEndlessMember(t *testing.T) {
	t.Parallel()
	content := &endless{}
	if _, err := readLines(content); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("the error is %v", err)
	}
	if content.read > maxMember+1<<20 {
		t.Errorf("%d bytes were read", content.read)
	}
}
