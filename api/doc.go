// Package api is the contract of rodata: the one table of operations from which the REST routes, the MCP tools, the
// OpenAPI description, the validation, the costs and the declared errors are derived.
//
// An operation is defined once, with [Define], by a typed input, a typed output and a function. A channel (REST, MCP)
// only turns a request into [Args] and a [Reply] into bytes; [Gateway.Do] does the rest.
package api
