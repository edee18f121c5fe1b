package site

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/rodata/rodata/internal/spelling"
)

// searchHit is a page that matches a query.
type searchHit struct {
	findPage
	// Path is the address of the part of the page that matches best. Heading is the heading of that part; empty if it
	// is the whole page.
	Path, Heading string
	// Snippet is the text around the first match.
	Snippet []piece
	score   int
	part    findPart
}

// piece is a part of a text that matches a query, or does not.
type piece struct {
	Text  string
	Match bool
}

// searchPage is the data of the search page.
type searchPage struct {
	Query string
	Found []searchHit
}

// Bounds of the search.
const (
	maxQuery     = 200 // bytes
	maxFound     = 20
	snippetWords = 32
)

// find returns the pages that contain all words of a query, the best first.
func find(pages []findPage, query string) []searchHit {
	terms := slices.Compact(slices.Sorted(strings.FieldsSeq(spelling.Fold(query))))
	if len(terms) == 0 {
		return nil
	}

	var all []searchHit
	for _, page := range pages {
		if f, ok := page.find(terms); ok {
			all = append(all, f)
		}
	}

	slices.SortStableFunc(all, func(a, b searchHit) int { return cmp.Compare(b.score, a.score) })
	all = all[:min(len(all), maxFound)]
	for i := range all {
		all[i].Snippet = snippet(all[i].part.text, terms)
	}

	return all
}

// find scores a page for a query. The score is the sum of each term's best match on the page and the score of the best
// part. It returns false if a term matches nowhere.
func (p findPage) find(terms []string) (f searchHit, ok bool) {
	best, bestScore := 0, 0
	ofTerm := make([]int, len(terms))
	for i, part := range p.parts {
		sum := 0
		for j, term := range terms {
			inHeading, inText := matches(part.names, term), matches(part.words, term)
			ofTerm[j] = max(ofTerm[j], part.weight*inHeading, inText)
			sum += max(weightOfField*inHeading, inText) // a title must not outrank a section with more of the words
		}

		if sum > bestScore {
			best, bestScore = i, sum
		}
	}

	if slices.Contains(ofTerm, 0) {
		return searchHit{}, false
	}

	part := p.parts[best]
	f = searchHit{findPage: p, Path: part.path, part: part, score: bestScore}
	for _, score := range ofTerm {
		f.score += score
	}
	if best > 0 {
		f.Heading = part.heading
	}

	return f, true
}

// matches returns 3 if the sorted words contain the term, 2 if a word begins with the term, 1 if a word begins with
// the stem of the term, and 0 otherwise.
func matches(words []string, term string) int {
	switch at, found := slices.BinarySearch(words, term); {
	case found:
		return 3
	case at < len(words) && strings.HasPrefix(words[at], term):
		return 2
	}

	stem := stemOf(term)
	if at, _ := slices.BinarySearch(words, stem); at < len(words) && strings.HasPrefix(words[at], stem) {
		return 1
	}

	return 0
}

// stemOf removes the ending of a longer word, so that its forms compare equal: firma and firme, company and companies.
func stemOf(term string) string {
	if len(term) < 5 {
		return term
	}

	stem := strings.TrimRight(term, "aeiuys")
	if len(stem) < 4 {
		return term[:4]
	}

	return stem
}

// snippet returns an excerpt of a text that starts shortly before the first match.
func snippet(text string, terms []string) []piece {
	all := strings.Fields(text)
	first := max(0, slices.IndexFunc(all, func(word string) bool { return matchesAny(word, terms) }))
	from := max(0, first-8)
	to := min(len(all), from+snippetWords)

	var pieces []piece
	if from > 0 {
		pieces = append(pieces, piece{Text: "… "})
	}

	for _, word := range all[from:to] {
		pieces = append(pieces, piece{word, matchesAny(word, terms)}, piece{Text: " "})
	}
	if to < len(all) {
		pieces = append(pieces, piece{Text: "…"})
	}

	return pieces
}

func matchesAny(word string, terms []string) bool {
	words := wordsOf(word)
	return slices.ContainsFunc(terms, func(term string) bool { return matches(words, term) > 0 })
}

// serveFind serves the search of the documentation. It does not cache pages, because every query has its own.
func (s *Site) serveFind(w http.ResponseWriter, r *http.Request) {
	v := s.visit(r)
	query := strings.ToValidUTF8(strings.TrimSpace(r.URL.Query().Get("q")), "")
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	if query != "" {
		v.query.Set("q", query)
	}

	page := livePage{template: "find", script: "page.js"}
	body, err := s.renderLive(&page, v, searchPage{query, find(s.findIndex[v.lang](), query)})
	if err != nil {
		s.fail(w, r, err)
		return
	}

	v.writeLanguage(w, r, v.lang)
	file{contentType: htmlType, cacheControl: revalidated}.serve(w, r, body)
}
