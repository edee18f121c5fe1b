package mcp

import (
	"regexp"
	"strings"
	"testing"
)

// Prompts and their arguments are described, and the tools that they name exist.
func TestPromptsNameTools(t *testing.T) {
	w := newWorld(t)
	for _, p := range read(t, w.send("POST", rpc(1, "prompts/list", "{}"))).Result.Prompts {
		if p.Title == "" || len(p.Description) < 40 || !p.Arguments[0].Required {
			t.Errorf("%+v", p)
		}

		arguments := make(map[string]string)
		for _, a := range p.Arguments {
			arguments[a.Name] = "1"
			if len(a.Description) < 20 {
				t.Errorf("%s of %s is not described", a.Name, p.Name)
			}
		}

		answer := w.send("POST", rpc(1, "prompts/get",
			string(mustEncode(map[string]any{"name": p.Name, "arguments": arguments}))))
		text := read(t, answer).Result.Messages[0].Content.Text
		for _, word := range regexp.MustCompile(`[a-z_]+`).FindAllString(text, -1) {
			if strings.Contains(word, "_") && word != "in_operation" && w.tools[word] == nil {
				t.Errorf("%s names the tool %s, which does not exist", p.Name, word)
			}
		}
	}
}
