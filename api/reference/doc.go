// Package reference defines the operations on reference data: CAEN codes, counties and localities, and the calendar of
// public holidays and bank days.
package reference
