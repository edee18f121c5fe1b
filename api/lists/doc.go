// Package lists contains what operations on lists share: how a list is read, how long its caller waits, and how an
// item of the answer reports its problem.
package lists
