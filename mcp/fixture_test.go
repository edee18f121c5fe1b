package mcp

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// pixel is a PNG with one red pixel, and silence a WAV without samples.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"

var silence = base64.StdEncoding.EncodeToString([]byte("RIFF$\x00\x00\x00WAVEfmt " +
	"\x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00@\x1f\x00\x00\x01\x00\x08\x00data\x00\x00\x00\x00"))

func addFixtures(s *server.MCPServer) {
	addFixtureTools(s)
	addSpeakingTools(s)
	addFixtureResources(s)
	addFixturePrompts(s)
	server.WithLogging()(s)
	server.WithResourceCapabilities(true, false)(s)
}

func addFixtureTools(s *server.MCPServer) {
	text := protocol.NewTextContent("This is a simple text response for testing.")
	image := protocol.NewImageContent(pixel, "image/png")
	for name, content := range map[string][]protocol.Content{
		"test_simple_text":   {text},
		"test_image_content": {image},
		"test_audio_content": {protocol.NewAudioContent(silence, "audio/wav")},
		"test_embedded_resource": {embedded("test://embedded-resource", "text/plain",
			"This is an embedded resource content.")},
		"test_multiple_content_types": {protocol.NewTextContent("Multiple content types test:"), image,
			embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`)},
	} {
		s.AddTool(protocol.NewTool(name, protocol.WithDescription("Always gives the same.")),
			func(context.Context, protocol.CallToolRequest) (*protocol.CallToolResult, error) {
				return &protocol.CallToolResult{Content: slices.Clone(content)}, nil
			})
	}

	s.AddTool(protocol.NewTool("test_error_handling", protocol.WithDescription("Always fails.")),
		func(context.Context, protocol.CallToolRequest) (*protocol.CallToolResult, error) {
			return protocol.NewToolResultError("This tool intentionally returns an error for testing"), nil
		})
}

func embedded(uri, mime, text string) protocol.Content {
	return protocol.NewEmbeddedResource(protocol.TextResourceContents{URI: uri, MIMEType: mime, Text: text})
}

// step is the pause between two notifications of a tool. mcp-go may drop a notification sent just before the tool
// returns, so there is also a pause after the last one.
const step = 50 * time.Millisecond

// heard is closed when a test has read the notification of tell_and_wait.
var heard chan struct{}

// addSpeakingTools adds tools that send notifications while they work.
func addSpeakingTools(s *server.MCPServer) {
	progress := func(ctx context.Context, r protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		for done := 0; done <= 100; done += 50 {
			if meta := r.Params.Meta; meta != nil && meta.ProgressToken != nil {
				if err := s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
					"progressToken": meta.ProgressToken, "progress": done, "total": 100}); err != nil {
					return nil, err
				}
			}

			<-time.After(step)
		}

		return protocol.NewToolResultText("done"), nil
	}
	log := func(ctx context.Context, _ protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		for _, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			entry := protocol.NewLoggingMessageNotification(protocol.LoggingLevelInfo, "fixtures", text)
			if err := s.SendLogMessageToClient(ctx, entry); err != nil {
				return nil, err
			}

			<-time.After(step)
		}

		return protocol.NewToolResultText("done"), nil
	}
	wait := func(ctx context.Context, r protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		err := s.SendNotificationToClient(ctx, "notifications/progress",
			map[string]any{"progressToken": r.Params.Meta.ProgressToken, "progress": 1})
		<-heard
		return protocol.NewToolResultText("done"), err
	}
	for name, do := range map[string]server.ToolHandlerFunc{
		"tell_and_wait":           wait,
		"test_tool_with_progress": progress, "test_streaming_elicitation": progress,
		"test_tool_with_logging": log, "test_logging_tool": log,
	} {
		s.AddTool(protocol.NewTool(name, protocol.WithDescription("Says something while it works.")), do)
	}
}

func addFixtureResources(s *server.MCPServer) {
	for _, c := range []struct{ uri, name, mime, text, blob string }{
		{"test://static-text", "Static text", "text/plain", "This is the content of the static text resource.", ""},
		{"test://static-binary", "Static picture", "image/png", "", pixel},
		{"test://watched-resource", "Watched text", "text/plain", "Nothing has changed.", ""},
	} {
		var content protocol.ResourceContents = protocol.TextResourceContents{URI: c.uri, MIMEType: c.mime,
			Text: c.text}
		if c.blob != "" {
			content = protocol.BlobResourceContents{URI: c.uri, MIMEType: c.mime, Blob: c.blob}
		}

		s.AddResource(protocol.NewResource(c.uri, c.name, protocol.WithResourceDescription("Always the same."),
			protocol.WithMIMEType(c.mime)),
			func(context.Context, protocol.ReadResourceRequest) ([]protocol.ResourceContents, error) {
				return []protocol.ResourceContents{content}, nil
			})
	}

	s.AddResourceTemplate(protocol.NewResourceTemplate("test://template/{id}/data", "Template",
		protocol.WithTemplateDescription("One for each id."), protocol.WithTemplateMIMEType("application/json")),
		func(_ context.Context, r protocol.ReadResourceRequest) ([]protocol.ResourceContents, error) {
			id, ok := r.Params.Arguments["id"].([]string)
			if !ok || len(id) != 1 {
				return nil, errors.New("no id")
			}
			return []protocol.ResourceContents{protocol.TextResourceContents{URI: r.Params.URI,
				MIMEType: "application/json",
				Text:     fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id[0], id[0])}}, nil
		})
}

func addFixturePrompts(s *server.MCPServer) {
	text := func(text string) protocol.Content { return protocol.NewTextContent(text) }
	add := func(name string, arguments []string, get func(args map[string]string) []protocol.Content) {
		p := protocol.Prompt{Name: name, Description: "A prompt for testing."}
		for _, a := range arguments {
			p.Arguments = append(p.Arguments,
				protocol.PromptArgument{Name: a, Description: "An argument for testing.", Required: true})
		}

		s.AddPrompt(p, func(_ context.Context, r protocol.GetPromptRequest) (*protocol.GetPromptResult, error) {
			result := new(protocol.GetPromptResult)
			for _, c := range get(r.Params.Arguments) {
				result.Messages = append(result.Messages, protocol.NewPromptMessage(protocol.RoleUser, c))
			}
			return result, nil
		})
	}
	add("test_simple_prompt", nil, func(map[string]string) []protocol.Content {
		return []protocol.Content{text("This is a simple prompt for testing.")}
	})
	add("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(args map[string]string) []protocol.Content {
		return []protocol.Content{text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"],
			args["arg2"]))}
	})
	add("test_prompt_with_embedded_resource", []string{"resourceUri"}, func(args map[string]string) []protocol.Content {
		return []protocol.Content{embedded(args["resourceUri"], "text/plain", "Embedded resource content for testing."),
			text("Please process the embedded resource above.")}
	})
	add("test_prompt_with_image", nil, func(map[string]string) []protocol.Content {
		return []protocol.Content{protocol.NewImageContent(pixel, "image/png"), text("Please analyze the image above.")}
	})
}
