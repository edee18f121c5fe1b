package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/rodata/rodata/op/problem"
)

// prompts are the message templates that a person picks from the client's menu. Each tells the model which tools to use
// and which results matter; its text is the file of its name.
var prompts = readPrompts()

func readPrompts() (prompts []protocol.Prompt) {
	if err := json.Unmarshal([]byte(fill("prompts.json", nil)), &prompts); err != nil {
		panic(err) // only a mistake in the file can be the cause
	}
	return prompts
}

// answerPrompt answers prompts/get.
func answerPrompt(p *protocol.Prompt) server.PromptHandlerFunc {
	return func(ctx context.Context, request protocol.GetPromptRequest) (*protocol.GetPromptResult, error) {
		if f := checkPrompt(p, request.Params.Arguments); f != nil {
			exchangeOf(ctx).fail(f)
			return new(protocol.GetPromptResult), nil
		}

		text := fill(p.Name+".md", request.Params.Arguments)
		return &protocol.GetPromptResult{Description: p.Description, Messages: []protocol.PromptMessage{
			{Role: protocol.RoleUser, Content: protocol.NewTextContent(text)}}}, nil
	}
}

// checkPrompt rejects arguments that do not match the prompt's.
func checkPrompt(p *protocol.Prompt, args map[string]string) *fault {
	names := make([]string, len(p.Arguments))
	for i, a := range p.Arguments {
		names[i] = a.Name
		if a.Required && strings.TrimSpace(args[a.Name]) == "" {
			return invalid(protocol.INVALID_PARAMS, "the prompt %s needs the argument %s: %s", p.Name, a.Name,
				a.Description)
		}
	}

	for name, value := range args {
		if len(value) > longestArgument {
			return invalid(protocol.INVALID_PARAMS, "an argument of a prompt has at most %d bytes", longestArgument)
		}
		if !slices.Contains(names, name) {
			return invalid(protocol.INVALID_PARAMS, "the prompt %s has no argument %s; it has %s", p.Name,
				problem.Quoted(name), strings.Join(names, ", "))
		}
	}

	return nil
}
