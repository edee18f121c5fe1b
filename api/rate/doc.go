// Package rate is the operations of exchange rates: the central bank's rates of a day, their history, and conversion.
package rate
