// Package openapi describes operations in OpenAPI 3.1. It knows no subject: a [Contract] passes it the
// operations, and the texts and examples that they lack.
package openapi
