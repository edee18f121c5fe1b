// Package release defines the operations on releases: the whole trade register, in files for data tools.
package release
