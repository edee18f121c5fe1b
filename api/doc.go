// Package api is the contract of rodata: the one table of operations from which the REST routes, the MCP tools, the
// OpenAPI description, the validation, the costs and the declared errors are derived. The packages below it
// define the operations, a package for each subject; package op defines what an operation is.
package api
