// Package reference is the operations of reference data: CAEN codes, counties and localities, and the calendar of
// public holidays and bank days.
package reference
