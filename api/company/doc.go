// Package company defines the operations on companies: profiles by tax id, one or many, their parts, statuses on a day,
// histories, and the search of the trade register.
package company
