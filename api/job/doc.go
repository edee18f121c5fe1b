// Package job defines the operations on jobs: the upload of a file whose companies are looked up in the background, the
// job's progress, and the file with the results.
package job
