package testkit

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// Equal reports a value that differs from the wanted one. Structs, slices and maps are compared with reflect.DeepEqual,
// except that empty slices and maps equal nil, and other values with ==. What names the value: a text,
// or a format and its values.
func Equal[T any](t testing.TB, got, want T, what ...any) {
	t.Helper()
	if !areEqual(reflect.ValueOf(&got).Elem(), reflect.ValueOf(&want).Elem()) {
		t.Errorf("%sgot %+v, want %+v", label(what), got, want)
	}
}

func areEqual(got, want reflect.Value) bool {
	switch got.Kind() {
	case reflect.Slice, reflect.Map:
		return got.Len() == 0 && want.Len() == 0 || reflect.DeepEqual(got.Interface(), want.Interface())
	case reflect.Struct:
		return reflect.DeepEqual(got.Interface(), want.Interface())
	}
	return got.Equal(want)
}

// ErrorIs reports an error that is not the wanted one, as errors.Is decides.
func ErrorIs(t testing.TB, err, want error, what ...any) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%sgot the error %v, want %v", label(what), err, want)
	}
}

// Contains reports a text that lacks a part.
func Contains(t testing.TB, text, part string, what ...any) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%sgot %q, which lacks %q", label(what), text, part)
	}
}

// Err returns the error of a call with two results.
func Err(_ any, err error) error { return err }

// label returns the beginning of a report.
func label(what []any) string {
	switch len(what) {
	case 0:
		return ""
	case 1:
		return what[0].(string) + ": "
	}

	return fmt.Sprintf(what[0].(string), what[1:]...) + ": "
}

// ErrorSays reports an error whose text lacks a part, or its absence.
func ErrorSays(t testing.TB, err error, part string, what ...any) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("%sgot the error %v, want one that says %q", label(what), err, part)
	}
}
