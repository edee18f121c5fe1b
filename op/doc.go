// Package op is the kernel of rodata: what an operation is, and how a call of it is answered. It defines no operations.
//
// An operation is defined once, with [Define], by a typed input, a typed output and a function. A channel (REST, MCP)
// only turns a request into [Args] and a [Reply] into bytes; [Gateway.Do] does the rest.
package op
