// Package work does durable work once, in whichever process of a fleet: in a queue, due rows of a table are leased to
// one process at a time, and retried with backoff until they are done; other work is done by a leader, the process that
// holds a lease in a table of leases.
//
// The table of a queue has the columns id, tries, due_at and holder. due_at is the time at which a row is due, NULL
// once it is done; while the row is claimed, due_at is the end of the lease and holder identifies the process. Every
// write under a lease requires that due_at is still the end of that lease, so a process with an expired lease cannot
// overwrite the work of its successor.
package work
