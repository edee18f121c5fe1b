// Package testkit has what every test may need: it compares what a test got with what it wants, ends a test on an
// error, and waits for a condition. Its sub-packages have what tests share, one of each: stand-ins for the outside
// world, servers and processes that belong to one test, fakes of interfaces, and invented data. Of the product, only
// the sandbox command uses it.
package testkit
