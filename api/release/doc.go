// Package release is the operations of releases: the whole trade register, in files for data tools.
package release
