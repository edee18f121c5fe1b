package operate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
)

// Gateway is a running gateway. Its answers are printed.
type Gateway struct {
	// Address is the address of its admin API: host:port, or unix//path.
	Address string
	// JSON prints the answers as JSON.
	JSON bool
	Out  io.Writer
	// Notes receives remarks about an answer, apart from the answer itself.
	Notes io.Writer
}

// Send sends a request to the admin API, with a JSON body unless value is nil, and returns the body of the answer.
func (g *Gateway) Send(method, path string, value any) ([]byte, error) {
	var body io.Reader
	if value != nil {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}

		body = bytes.NewReader(text)
	}

	return g.Request(method, path, nil, body)
}

// Request sends a request with headers to the admin API and returns the body of the answer.
func (g *Gateway) Request(method, path string, headers http.Header, body io.Reader) ([]byte, error) {
	res, err := caddycmd.AdminAPIRequest(g.Address, method, path, headers, body)
	switch {
	case err == nil:
	case refusalOf(err) != nil:
		return nil, refusalOf(err)
	case strings.Contains(err.Error(), "performing request"):
		return nil, fmt.Errorf("no gateway answers at %s (%s); start one with \"rodata run\", or name the address of "+
			"its admin API with --address", g.Address, cause(err))
	case strings.Contains(err.Error(), "HTTP 404"):
		return nil, fmt.Errorf("the server at %s is not a rodata gateway; name the address of the gateway's admin "+
			"API with --address", g.Address)
	default:
		return nil, fmt.Errorf("calling the gateway at %s: %w", g.Address, err)
	}
	defer res.Body.Close()

	answer, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("reading the answer of %s: %w", g.Address, err)
	}

	return answer, nil
}

// show prints the answer to a GET of a path.
func show[T any](g *Gateway, path string, print func(io.Writer, T)) error {
	return printAnswer(g, http.MethodGet, path, nil, print)
}

// printAnswer sends a request, with a JSON body unless it is nil, and prints the answer: as JSON or with print.
func printAnswer[T any](g *Gateway, method, path string, body any, print func(io.Writer, T)) error {
	answer, err := g.Send(method, path, body)
	if err != nil {
		return err
	}
	if g.JSON {
		_, err := g.Out.Write(answer)
		return err
	}

	var reply T
	if err := g.read(answer, &reply); err != nil {
		return err
	}

	table := tabwriter.NewWriter(g.Out, 0, 0, 2, ' ', 0)
	print(table, reply)
	return table.Flush()
}

// read reads an answer into a value.
func (g *Gateway) read(answer []byte, into any) error {
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("reading the answer of %s: %w; is it of another version? try --json", g.Address, err)
	}
	return nil
}

// confirm sends a request without a response body, and prints a confirmation.
func (g *Gateway) confirm(method, path, message string) error {
	if _, err := g.Send(method, path, nil); err != nil {
		return err
	}
	return g.print(map[string]bool{"done": true}, message)
}

// print prints an outcome: as JSON or as a sentence.
func (g *Gateway) print(outcome any, sentence string) error {
	if g.JSON {
		return json.NewEncoder(g.Out).Encode(outcome)
	}

	_, err := fmt.Fprintln(g.Out, sentence)
	return err
}

// cause returns the last error in a chain that Caddy has turned into text.
func cause(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		return text[i+2:]
	}
	return text
}

// refusal is an error answer of the gateway.
type refusal struct {
	status int
	reason string
}

func (r *refusal) Error() string { return r.reason }

// refusalOf returns the refusal in an error of Caddy's client; nil if it has none.
func refusalOf(err error) error {
	_, answer, _ := strings.Cut(err.Error(), "HTTP ") // 404: {"error":"..."}
	code, body, _ := strings.Cut(answer, ": ")
	status, err := strconv.Atoi(code)
	var reply struct{ Error string }
	if err != nil || json.Unmarshal([]byte(body), &reply) != nil ||
		strings.Contains(reply.Error, caddy.ErrNotConfigured.Error()) {
		return nil
	}

	return &refusal{status, reply.Error}
}
