package api

// fileForm is the schema of a form with a file.
var fileForm = Schema{Type: "object", Required: []string{"file"}, Properties: []Property{
	{"file", Schema{Type: "string", Format: "binary",
		Description: "The file; its type is taken from the part's Content-Type, or from the extension of its name: " +
			".csv, .xlsx, .ndjson or .json."}},
}}

// uploadParameters are the header parameters of operations that take a file.
func uploadParameters() []*object {
	return []*object{
		parameter("header", "Idempotency-Key", false,
			"A text of your own for each upload, such as a UUID: the same upload with it is the same job.",
			Schema{Type: "string", MaxLength: longestIdempotencyKey}),
		parameter("header", "Prefer", false,
			"wait=10 waits up to 10 seconds for the end of the job (RFC 7240); at most 30.", Schema{Type: "string"}),
	}
}
