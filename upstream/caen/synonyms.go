package caen

import (
	"fmt"
	"strings"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/internal/tsv"
	"github.com/rodata/rodata/search/words"
)

// readSynonyms parses the table of everyday words for activities. Each line has the codes, the best first, the
// language, and the words. The words of a section, division or group also find the classes below it.
func (r *Registry) readSynonyms(table string) ([]words.Phrase, error) {
	rows, err := tsv.Rows(table, "codes", "language", "words")
	if err != nil {
		return nil, err
	}

	var phrases []words.Phrase
	for _, row := range rows {
		var means []int
		for code := range strings.SplitSeq(row[0], ",") {
			i, ok := r.byCode[reference.CAENCode(code)]
			if !ok {
				return nil, fmt.Errorf("%s: Rev.3 has no code %q", row[2], code)
			}

			means = append(means, i)
		}

		if row[1] != "ro" && row[1] != "en" {
			return nil, fmt.Errorf("%s: the language is %q, not ro or en", row[2], row[1])
		}

		for text := range strings.SplitSeq(row[2], ", ") {
			if strings.TrimSpace(text) != text || text == "" {
				return nil, fmt.Errorf("%s: %q is not a word", row[0], text)
			}
			phrases = append(phrases, words.Phrase{Text: text, Entries: means})
		}
	}

	return phrases, nil
}

// newIndex indexes the codes, the names, the names of parents, and the synonyms.
func (r *Registry) newIndex(phrases []words.Phrase) *words.Index {
	entries := make([]words.Entry, len(r.entries))
	synonyms := make([][]string, len(r.entries))
	for _, p := range phrases {
		for _, i := range p.Entries {
			synonyms[i] = append(synonyms[i], p.Text)
		}
	}

	for i := range r.entries {
		e := &r.entries[i]
		entries[i].Names = []string{string(e.Code), e.Name, e.NameEn}
		for up := e.parent; up >= 0; up = r.entries[up].parent {
			above := &r.entries[up]
			entries[i].Broader = append(entries[i].Broader, above.Name, above.NameEn)
			entries[i].Broader = append(entries[i].Broader, synonyms[up]...)
		}
	}

	return words.NewIndex(entries, phrases...)
}
