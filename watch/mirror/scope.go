package mirror

import "fmt"

// Scope selects the companies to look at.
type Scope string

// The scopes.
const (
	// Watched selects the companies in watch-lists.
	Watched Scope = "watched"
	// Seen adds the companies requested in the last 90 days.
	Seen Scope = "seen"
	// InOperation selects the watched companies, and those in operation according to the trade register.
	InOperation Scope = "in_operation"
	// All selects the watched companies, and all companies of the trade register.
	All Scope = "all"
)

// ParseScope reads a scope by its name.
func ParseScope(name string) (Scope, error) {
	switch s := Scope(name); s {
	case Watched, Seen, InOperation, All:
		return s, nil
	}
	return "", fmt.Errorf("%q is unknown; use %s, %s, %s or %s", name, Watched, Seen, InOperation, All)
}

// usesRegister reports whether the scope includes companies of the trade register that are not watched.
func (s Scope) usesRegister() bool { return s == InOperation || s == All }

// seenFor is the number of days that a company stays in the scope Seen after a request.
const seenFor = 90
