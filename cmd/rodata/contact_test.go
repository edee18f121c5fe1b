package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// writeIn sends a message through the contact form.
func writeIn(t *testing.T, site, name, text string) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"name": name, "email": "ana@example.ro", "message": text})
	testkit.NoError(t, err)

	res, err := http.Post(site+"/v1/contact", "application/json", strings.NewReader(string(body)))
	testkit.NoError(t, err)

	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("got %s", res.Status)
	}
}

func TestContactCommands(t *testing.T) {
	admin, site := runWithAdmin(t)
	o := operator{t, admin}
	if got := o.types("contact", "list"); got != "MESSAGE  RECEIVED  E-MAIL  NAME  BEGINS" {
		t.Errorf("of no messages:\n%s", got)
	}

	const question = "Bună ziua,\ncât costă planul Pro pentru două firme, vă rog?"
	writeIn(t, site, "Ana Exemplu", question)
	for i := range 2 {
		writeIn(t, site, fmt.Sprintf("Ion Exemplu %d", i), "Aștept un răspuns.")
	}

	list := o.types("contact", "list")
	lines := strings.Split(list, "\n")
	if len(lines) != 4 || !strings.Contains(lines[1], "Ion Exemplu 1") ||
		!strings.Contains(lines[3], "ana@example.ro  Ana Exemplu    Bună ziua, cât costă planul Pro pentru d…") {
		t.Fatalf("listed as\n%s", list)
	}
	if first := o.types("contact", "list", "--limit", "1"); !strings.Contains(first, "Ion Exemplu 1") ||
		strings.Contains(first, "Ion Exemplu 0") {
		t.Errorf("the newest is\n%s", first)
	}

	id, _, _ := strings.Cut(lines[2], " ")
	rest := o.types("contact", "list", "--before", id, "--json")
	var messages []struct{ ID, Name, Email, Message, ReceivedAt string }
	if err := json.Unmarshal([]byte(rest), &messages); err != nil || len(messages) != 1 ||
		messages[0].Message != question ||
		messages[0].Name != "Ana Exemplu" {
		t.Errorf("before the second: %s, %v", rest, err)
	}

	shown := o.types("contact", "show", messages[0].ID)
	if !strings.HasPrefix(shown, "Ana Exemplu <ana@example.ro>\n20") || !strings.HasSuffix(shown, " UTC\n\n"+question) {
		t.Errorf("shown as\n%s", shown)
	}
	if got := o.types("contact", "show", messages[0].ID,
		"--json"); !strings.HasPrefix(got, `{"id":"`+messages[0].ID+`","receivedAt":"20`) {
		t.Errorf("shown as %s", got)
	}

	o.fails("no message with that id", "contact", "show", "unknown")
	o.fails("1 to 20", "contact", "list", "--limit", "21")
	o.fails("as in: rodata contact show", "contact", "show")
}
