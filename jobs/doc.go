// Package jobs looks up the companies of uploaded files in the background. A job is a file whose rows are looked up some
// hundreds at a time, within a share of the tax authority's ration, and written to the store before the next ones: a
// process that is killed continues at the last rows that are done, and charges none twice.
package jobs
