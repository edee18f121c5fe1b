// Package panics turns panics into errors, because a panic in a goroutine ends the process.
package panics

import (
	"fmt"
	"runtime/debug"
)

// Recover turns a panic of the deferring function into an error with the stack. The words say what the function was
// doing; they are formatted like fmt.Sprint does.
func Recover(err *error, doing ...any) {
	switch p := recover(); {
	case p == nil:
	case len(doing) == 0:
		*err = Error(p)
	default:
		*err = fmt.Errorf("%s: %w", fmt.Sprint(doing...), Error(p))
	}
}

// Error returns the error for a recovered panic, with the stack. Deferred functions call it.
func Error(p any) error { return fmt.Errorf("panic: %v\n%s", p, debug.Stack()) }
