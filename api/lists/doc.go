// Package lists is what operations on lists have in common: how a list is read, how long its caller waits, and how an
// item of the answer reports its problem.
package lists
