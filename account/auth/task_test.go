package auth

import (
	"testing"

	"github.com/rodata/rodata/testkit"
)

// Background tasks are limited in number and time.
func TestTasksAreBounded(t *testing.T) {
	s := newSite(t, nil)
	for range maxTasks {
		s.tasks.slots <- struct{}{}
	}

	b := s.browser(t)
	r := b.want(b.post("/request-password-reset", "email", ana), 503, "SERVICE_UNAVAILABLE")
	testkit.Equal(t, r.Header.Get("Retry-After"), "1", "Retry-After")
}

// A sign-up succeeds without its mail if too many tasks are running: the user exists, and can ask for the mail again.
func TestSignUpWithoutItsMail(t *testing.T) {
	s := newSite(t, func(o *Options) { o.RequireVerification = false })
	for range maxTasks {
		s.tasks.slots <- struct{}{}
	}

	b := s.browser(t)
	b.want(b.post("/sign-up/email", "name", "Ana", "email", ana, "password", parola), 200, nil)
	b.want(b.get("/get-session"), 200, nil)
}
