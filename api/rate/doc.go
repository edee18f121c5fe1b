// Package rate defines the operations on exchange rates: the central bank's rates of a day, their history, and
// conversion.
package rate
