// Package housetest contains the tests of the repository as a whole: the commands and tables of the README and the
// docs, the guides of the site, the ladder of imports, the headers that preflights allow, the length of lines, the
// pinned images, and the check for known vulnerabilities. Its tests run in the root of the repository.
package housetest
