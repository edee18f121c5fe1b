package caddymodule

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"testing/synctest"
)

// TestStackPool verifies that each request is answered once: by an idle goroutine, where it is while all of them wait,
// and where it is after the pool was closed.
func TestStackPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newStackPool()
		pool.start()

		release := make(chan struct{})
		waiting := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			<-release
			w.WriteHeader(http.StatusAccepted)
		})
		var slow []*httptest.ResponseRecorder
		for range stacksPerProcessor*runtime.GOMAXPROCS(0) + 1 {
			slow = append(slow, httptest.NewRecorder())
			go pool.serve(waiting, slow[len(slow)-1], httptest.NewRequest(http.MethodGet, "/", nil))
		}
		synctest.Wait()

		verifyServed(t, pool)
		close(release)
		synctest.Wait()
		for _, w := range slow {
			if w.Code != http.StatusAccepted {
				t.Errorf("a request that waited was answered with %d", w.Code)
			}
		}

		verifyServed(t, pool)
		pool.close()
		synctest.Wait()
		verifyServed(t, pool)
	})
}

func verifyServed(t *testing.T, pool *stackPool) {
	t.Helper()
	w, served := httptest.NewRecorder(), 0
	pool.serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		served++
		w.WriteHeader(http.StatusTeapot)
	}), w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != http.StatusTeapot || served != 1 {
		t.Errorf("status %d, served %d times", w.Code, served)
	}
}

// TestStackPoolPanic verifies that a panic of the handler reaches the caller, since http.ErrAbortHandler ends a stream,
// and that its goroutine serves the next request.
func TestStackPoolPanic(t *testing.T) {
	pool := newStackPool()
	go pool.work()
	defer pool.close()

	for range 3 {
		func() {
			defer func() {
				if err, _ := recover().(error); !errors.Is(err, http.ErrAbortHandler) {
					t.Errorf("panicked with %v", err)
				}
			}()
			pool.serve(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
				httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
		}()
	}
	verifyServed(t, pool)
}
