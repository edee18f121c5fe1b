// Package customer is the operations of a customer of the service: API keys, usage, the plan with its invoices, and
// messages to the operators.
package customer
