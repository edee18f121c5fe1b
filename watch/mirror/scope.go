package mirror

import "fmt"

// Scope is which companies are looked at.
type Scope string

// The scopes.
const (
	// Watched is the companies in watch-lists.
	Watched Scope = "watched"
	// Seen adds those that somebody asked for in the last 90 days.
	Seen Scope = "seen"
	// InOperation is the watched ones, and those that the trade register says are in operation.
	InOperation Scope = "in_operation"
	// All is the watched ones, and all that the trade register has.
	All Scope = "all"
)

// ParseScope reads a scope by its name.
func ParseScope(name string) (Scope, error) {
	switch s := Scope(name); s {
	case Watched, Seen, InOperation, All:
		return s, nil
	}
	return "", fmt.Errorf("%q is unknown: there are %s, %s, %s and %s", name, Watched, Seen, InOperation, All)
}

// country reports whether the scope is taken from the trade register.
func (s Scope) country() bool { return s == InOperation || s == All }

// seenFor is for how many days a company is in the scope Seen after somebody has asked for it.
const seenFor = 90
