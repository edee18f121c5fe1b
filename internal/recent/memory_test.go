package recent

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestMemoryIsBounded(t *testing.T) {
	m := NewSized(1000, func(key string, value []byte) int { return len(key) + len(value) })
	for i := range 100 {
		key := fmt.Sprintf("value %d", i)
		m.Put(key, []byte(key))
		if got, ok := m.Get(key); !ok || string(got) != key {
			t.Fatalf("%s is %q", key, got)
		}

		if i == 0 {
			m.Put("in use", []byte("in use"))
		}
		if _, ok := m.Get("in use"); !ok {
			t.Fatalf("the value in use was displaced after %d others", i)
		}
		if m.Len() > 70 {
			t.Fatalf("%d values are kept", m.Len())
		}
	}

	if m.Has("value 0") {
		t.Error("a value that was not used is kept")
	}

	m.Put("large", make([]byte, 2000))
	if !m.Has("large") || !m.Has("in use") {
		t.Error("a large value is not kept, or displaces all others")
	}
}

// A value that is replaced counts once.
func TestReplacedValues(t *testing.T) {
	m := New[string, int](4)
	m.Put("a", 0)
	for i := range 10 {
		m.Put("b", i)
	}

	if b, _ := m.Get("b"); b != 9 || m.Len() != 2 {
		t.Errorf("b is %d, %d values are kept", b, m.Len())
	}
}

func TestValuesExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New[string, int](10)
		m.PutUntil("a", 1, time.Now().Add(time.Second))
		<-time.After(time.Second - 1)
		if a, ok := m.Get("a"); !ok || a != 1 {
			t.Errorf("a is %d, %t", a, ok)
		}

		<-time.After(time.Nanosecond)
		if a, ok := m.Get("a"); ok || a != 0 || !m.Has("a") {
			t.Errorf("after its end, a is %d, %t; known: %t", a, ok, m.Has("a"))
		}
	})
}

func TestValuesAreDeleted(t *testing.T) {
	m := New[int, int](8)
	for i := range 7 { // some in each generation
		m.Put(i, i)
	}

	m.Delete(0)
	m.Delete(6)
	m.DeleteFunc(func(value int) bool { return value%2 == 1 })
	for i := range 7 {
		if want := i == 2 || i == 4; m.Has(i) != want {
			t.Errorf("%d is kept: %t", i, m.Has(i))
		}
	}
}

// A value that was read before others were deleted is not kept: it may be one of them.
func TestValuesReadBeforeADeletion(t *testing.T) {
	m := New[string, int](8)
	before := m.Reading()
	m.DeleteFunc(func(int) bool { return false })
	before("before", 1, time.Time{})
	m.Reading()("after", 2, time.Time{})
	if m.Has("before") || !m.Has("after") {
		t.Errorf("the value from before is kept: %t, the one from after: %t", m.Has("before"), m.Has("after"))
	}
}

func TestMemoryIsShared(t *testing.T) {
	m := New[int, int](100)
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for i := range 1000 {
				if value, ok := m.Get(i % 150); ok && value != i%150 {
					t.Errorf("%d is %d", i%150, value)
				}
				m.Put(i%150, i%150)
			}
		})
	}

	callers.Wait()
}
