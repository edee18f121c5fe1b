package statements

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
)

// general are the labels of the form since 2019.
var general = slices.Clone(Labels[:20])

// legend2015 returns the labels of small companies of 2015.
func legend2015() []string {
	labels := slices.Clone(general)
	labels[10], labels[16] = "Capital", "Pierdere neta"
	return slices.Delete(labels, 11, 12)
}

// legendText returns a legend as published.
func legendText(labels ...string) string {
	text := "CUI;CUI\r\nCAEN;CAEN\r\n"
	for i, label := range labels {
		text += fmt.Sprintf("%s;i%d\r\n", label, i+1)
	}
	return text
}

func replaced(at int, label string) []string {
	labels := slices.Clone(general)
	labels[at] = label
	return labels
}

func TestLegend(t *testing.T) {
	current := Key{2024, company.SmallForm}
	for name, test := range map[string]struct {
		key     Key
		text    string
		refused string   // why, or empty
		codes   []string // of turnover, gross loss, net profit, net loss and employees
	}{
		"2024": {current, legendText(general...), "", []string{"I13", "I17", "I18", "I19", "I20"}},
		"other spellings": {current, strings.ToUpper(strings.NewReplacer("Profit brut", "Profitul brut", "TOTAL, din",
			"TOTAL din").Replace(legendText(general...))), "", []string{"I13", "I17", "I18", "I19", "I20"}},
		"2015 of large companies": {Key{2015, company.LargeForm}, legendText(slices.Insert(slices.Clone(general), 12,
			"Patrimoniul public")...), "", []string{"I14", "I18", "I19", "I20", "I21"}},
		"2015 of small companies": {Key{2015, company.SmallForm}, legendText(legend2015()...), "",
			[]string{"I12", "I16", "I17", "I18", "I19"}},
		"2017 of companies with IFRS": {Key{2017, company.IFRSForm},
			legendText(slices.Delete(slices.Clone(general), 11, 12)...),
			"", []string{"I12", "I16", "I17", "I18", "I19"}},
		"the labels of 2015, later": {current, legendText(legend2015()...), "repeats", nil},
		"the labels of 2015, large": {Key{2015, company.LargeForm}, legendText(legend2015()...), "repeats", nil},
		"another doubled label in 2015": {Key{2015, company.SmallForm},
			legendText(replaced(16, "Profit net")...), "repeats", nil},
		"a doubled label":  {current, legendText(replaced(3, "Stocuri")...), "repeats", nil},
		"a doubled code":   {current, legendText(general...) + "Stocuri;I3\r\n", "two labels of I3", nil},
		"an unknown label": {current, legendText(replaced(12, "Cifra")...), "unknown label", nil},
		"one label more":   {current, legendText(append(general, "Rezerve")...), "unknown label", nil},
		"a missing label":  {current, legendText(general[:19]...), "lacks", nil},
		"a missing code": {current, strings.Replace(legendText(general...), ";i7\r", ";\r", 1),
			"no label of I7", nil},
		"another file": {current, "<html>", "lacks", nil},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := ReadLegend([]byte(test.text), test.key)
			if test.refused != "" {
				if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), test.refused) {
					t.Errorf("the error is %v", err)
				}
				return
			}

			testkit.NoError(t, err)
			codes := l.Codes()
			if got := []string{codes[12], codes[16], codes[17], codes[18], codes[19]}; !slices.Equal(got, test.codes) {
				t.Errorf("the codes are %v, want %v", got, test.codes)
			}
		})
	}
}

func TestLegendInWindows1250(t *testing.T) {
	labels := replaced(3, "Creanţe")
	labels[19] = "Număr mediu de salariaţi"
	text := testkit.Must(charmap.Windows1250.NewEncoder().String(legendText(labels...)))
	if _, err := ReadLegend([]byte(text), Key{2024, company.SmallForm}); err != nil {
		t.Error(err)
	}
}

// mustLegend reads a legend of some labels.
func mustLegend(t testing.TB, key Key, labels ...string) Legend {
	t.Helper()
	l, err := ReadLegend([]byte(legendText(labels...)), key)
	testkit.NoError(t, err)

	return l
}

// TestColumnsFollowTheLegend verifies that a figure has the meaning that the legend of its year gives to its column.
func TestColumnsFollowTheLegend(t *testing.T) {
	small := mustLegend(t, Key{2015, company.SmallForm}, legend2015()...)
	line := invented.CUI(1).String() + ",6210"
	for n := range 19 {
		line += fmt.Sprint(",", n+1)
	}

	reversed := "CUI,CAEN"
	for n := 19; n > 0; n-- {
		reversed += fmt.Sprint(",i", n)
	}

	for name, test := range map[string]struct {
		file                string
		turnover, grossLoss int64
	}{"in order": {line, 12, 16}, "in another order": {reversed + "\n" + line, 8, 4}} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(strings.NewReader(test.file), small, func(s *Statement) error {
				turnover, _ := s.Figure(12)
				loss, _ := s.Figure(16)
				if _, stated := s.Figure(11); turnover != test.turnover || loss != test.grossLoss || stated {
					t.Errorf("turnover %d, gross loss %d; an asset that the form lacks is stated: %v", turnover, loss,
						stated)
				}
				return nil
			})
			testkit.NoError(t, err)
		})
	}
}
