// Package jobs looks up the companies of uploaded files in the background. A job is an uploaded file. Its rows are
// looked up in chunks of a few hundred, within a share of the tax authority's ration, and each chunk is stored before
// the next one starts. So after a process is killed, the job continues with the first unfinished chunk, and no row is
// charged twice.
package jobs
