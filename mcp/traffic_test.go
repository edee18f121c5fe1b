package mcp

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rodata/rodata/testkit/long"
)

// crowd is a set of clients of one server. Each client sends messages repeatedly and checks that the answers match its
// requests.
type crowd struct {
	*testing.T
	client  *http.Client
	world   *world
	members sync.WaitGroup
}

// join adds a client that performs an action a number of times.
func (c *crowd) join(rounds int, do func(id int)) {
	c.members.Go(func() {
		for i := range rounds {
			do(1000 + i)
		}
	})
}

// ask sends a message and reads the complete answer.
func (c *crowd) ask(method, body string, header ...string) (status int, answered http.Header, text string) {
	answer, err := c.client.Do(outgoing(c.Context(), method, "http://rodata.example", body, header...))
	if err != nil {
		c.Errorf("%s %s: %v", method, body, err)
		return 0, nil, ""
	}
	defer answer.Body.Close()

	read, err := io.ReadAll(answer.Body)
	if err != nil {
		c.Errorf("%s %s: %v", method, body, err)
	}

	return answer.StatusCode, answer.Header, string(read)
}

// expect sends a message, and expects an answer with the same id and a given content.
func (c *crowd) expect(id int, says, body string, header ...string) http.Header {
	status, answered, text := c.ask("POST", body, header...)
	if status != 200 || !strings.Contains(text, fmt.Sprintf(`"id":%d`, id)) || !strings.Contains(text, says) {
		c.Errorf("%s: %d %s", body, status, text)
	}
	return answered
}

// aSession runs a session from start to end.
func (c *crowd) aSession(id int) {
	session := c.expect(0, `"protocolVersion":"2025-11-25"`, begin).Get(sessionHeader)
	c.expect(id, `"code":"6210"`, callOf(id, "get_caen_code", `{"code":"6210"}`), sessionHeader, session)
	c.expect(id, `"isError":true`, companyCall(id, panicky), sessionHeader, session)
	c.expect(id+1, `"inputSchema"`, rpc(id+1, "tools/list", "{}"), sessionHeader, session)
	if status, _, _ := c.ask("DELETE", "", sessionHeader, session); status != 200 {
		c.Errorf("ending a session: %d", status)
	}
	if status, _, _ := c.ask("POST", rpc(id, "ping", "{}"), sessionHeader, session); status != 404 {
		c.Errorf("after its end: %d", status)
	}
}

// modern sends messages of 2026-07-28.
func (c *crowd) modern(id int) {
	send := func(says, method, name, params string) {
		header := []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method}
		if name != "" {
			header = append(header, "Mcp-Name", name)
		}

		c.expect(id, says, rpc(id, method, "{"+params+modernMeta+"}"), header...)
	}
	send(`"supportedVersions"`, "server/discover", "", "")
	send(`"rate":5.2344`, "tools/call", "get_fx_rates", `"name":"get_fx_rates","arguments":{},`)
	send(`"status":404`, "tools/call", "get_company",
		fmt.Sprintf(`"name":"get_company","arguments":{"cui":"%d"},`, unknown))
	send("notifications/subscriptions/acknowledged", "subscriptions/listen", "",
		`"notifications":{"toolsListChanged":true},`)
}

var progressToken = regexp.MustCompile(`"progressToken":"([^"]*)"`)

// progress makes a call and checks that it receives only its own progress notifications.
func (c *crowd) progress(id int, name string) {
	token := fmt.Sprintf("%s-%d", name, id)
	status, _, text := c.ask("POST", rpc(id, "tools/call",
		`{"name":"test_tool_with_progress","_meta":{"progressToken":"`+token+`"}}`))
	events := progressToken.FindAllStringSubmatch(text, -1)
	if status != 200 || len(events) != 3 || !strings.Contains(text, fmt.Sprintf(`"id":%d,"result"`, id)) {
		c.Errorf("a call that tells of its progress: %d %s", status, text)
	}

	for _, event := range events {
		if event[1] != token {
			c.Errorf("%s is told of %s", token, event[1])
		}
	}
}

// takenBack makes a call and cancels it after the registry has been queried.
func (c *crowd) takenBack(id int) {
	session := c.expect(0, `"protocolVersion":"2025-11-25"`, begin).Get(sessionHeader)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if status, _, text := c.ask("POST", companyCall(id, hanging), sessionHeader, session); status != 202 {
			c.Errorf("a call that was taken back: %d %s", status, text)
		}
	})
	<-c.world.companies.began
	if status, _, text := c.ask("POST", takeBack(id), sessionHeader, session); status != 202 {
		c.Errorf("taking back: %d %s", status, text)
	}

	<-c.world.companies.ended
	waiting.Wait()
}

// Clients of all revisions, streaming calls and cancelled calls do not interfere with each other, and messages reach
// only their recipients. With the race detector this also shows that they share no unguarded state.
func TestMixedTrafficLong(t *testing.T) {
	long.Only(t, "takes seconds")

	client := overSocket(t)
	c := &crowd{T: t, client: client, world: fixtureWorld}
	for i := range 4 {
		c.join(15, c.aSession)
		c.join(15, c.modern)
		c.join(8, func(id int) { c.progress(id, fmt.Sprint("member-", i)) })
	}

	c.join(15, c.takenBack)
	c.members.Wait()
	if n := c.world.companies.cancelled.Load(); n != 15 {
		t.Errorf("%d calls were cancelled, want 15", n)
	}
}
