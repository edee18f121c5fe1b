// Package testkit contains, in its sub-packages, what tests share, one of each: stand-ins for the outside world,
// servers that belong to one test, fakes of interfaces, and invented data. Of the product, only the sandbox command
// uses it.
package testkit
