// Package search is the full-text index of the trade register: all its companies in memory-mapped files, built once for
// each release and immutable.
//
// A doc is the rank of a company when all companies are sorted by name, and identifies the company in the index. So a
// set of docs is a list of companies sorted by name, the cardinality of the set is the total of a query, and a slice
// of it is a page. The files of the package:
//
//   - segment.go lists the files of an index. posting.go defines the format of a set of docs, record.go that of a
//     company, and order.go that of the other sort orders.
//   - name.go normalises names, and term.go defines the terms under which a company is indexed.
//   - build.go sorts the firms (sort.go), and indexing.go indexes them. lexicon.go, prefix.go, lookup.go and order.go
//     write and read its files.
//   - search.go runs a query: text.go matches its text, typo.go tolerates typing errors, looks.go filters by statuses,
//     and page.go and inorder.go sort the matches.
package search
