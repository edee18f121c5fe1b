// Package job is the operations of jobs: an uploaded file whose companies are looked up in the background, its
// progress, and the file with the results.
package job
