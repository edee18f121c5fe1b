// Package index is the full-text index of the trade register: all its companies
// in files that are mapped into memory, built once for each release and never
// changed.
//
// A company is known inside by a number, its doc: its place in the order of
// names. So a set of docs is also a list in that order, its size a total, and a
// page of it a slice. All the rest follows from that:
//
//   - segment.go says which files there are, posting.go how a set of docs is
//     stored, record.go how a company is, order.go how the other orders are.
//   - name.go says what of a name counts, term.go what a company is filed under.
//   - build.go sorts the firms (sort.go) and filing.go files them; lexicon.go,
//     begun.go, lookup.go and order.go each write and read their own files.
//   - search.go answers a query: text.go matches its text, typo.go forgives
//     errors in it, page.go and inorder.go put the matches in order.
package index
