// Package customer defines the operations for customers of the service: API keys, usage, the plan with its invoices,
// and messages to the operators.
package customer
