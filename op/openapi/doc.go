// Package openapi describes operations in OpenAPI 3.1. It has nothing of a domain: a [Contract] hands it the
// operations, and the texts and examples that they do not have themselves.
package openapi
