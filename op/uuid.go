package op

import "regexp"

// UUIDForm matches a UUID in lower case.
var UUIDForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
