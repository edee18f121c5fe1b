// Package index is the full-text index of the trade register: all its companies in memory-mapped files, built once for
// each release and immutable.
//
// A company is identified by a number, its doc: its rank by name. So a set of docs is also a sorted list, its cardinality
// a total, and a slice of it a page. The rest follows from that:
//
//   - segment.go lists the files, posting.go defines how a set of docs is stored, record.go how a company is, and order.go
//     how other sort orders are.
//   - name.go normalises names, term.go defines what a company is indexed under.
//   - build.go sorts the firms (sort.go) and filing.go indexes them; lexicon.go, begun.go, lookup.go and order.go each
//     write and read their own files.
//   - search.go runs a query: text.go matches its text, typo.go forgives typing errors, page.go and inorder.go sort the
//     matches.
package index
