// Package housetest contains the tests of the repository as a whole: the commands and tables of the README and the
// docs, the guides of the site, the ladder of imports, the headers that preflights allow, the length of lines, and the
// pinned images. Its tests run in the root of the repository.
package housetest
