package mcp

import (
	"context"
	"embed"
	"strings"
	"sync"
	"text/template"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// readTexts returns the texts of prompts and resources.
var readTexts = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Option("missingkey=zero").ParseFS(textFiles, "texts/*"))
})

//go:embed texts
var textFiles embed.FS

// fill returns a text with values in their places.
func fill(name string, values map[string]string) string {
	var b strings.Builder
	if err := readTexts().ExecuteTemplate(&b, name, values); err != nil {
		panic(err) // only a mistake in a text can be the cause
	}
	return b.String()
}

// companyCard is the URI of the view in which hosts show the result of get_company: an MCP App (SEP-1865).
const companyCard = "ui://rodata/company-card"

// text is a resource with the same content for every caller.
type text struct {
	protocol.Resource
	file string
	meta map[string]any // of the content
}

// texts are the view and the skills (SEP-2640). The extension for skills is not declared, because it has methods that
// mcp-go cannot serve.
var texts = []text{
	{protocol.NewResource(companyCard, "company_card", protocol.WithMIMEType("text/html;profile=mcp-app"),
		protocol.WithResourceDescription("The view of a result of get_company: status, registered office, activity, the source and "+
			"age of each part.")), "company-card.html", map[string]any{"ui": map[string]any{"prefersBorder": true}}},
	skill("verify-supplier", "Verify a Romanian supplier before signing a contract or paying an invoice. Use it when "+
		"somebody asks whether a Romanian company exists, is in operation, is registered for VAT, is declared "+
		"inactive, or may be trusted with an invoice."),
	skill("check-invoice", "Check an invoice from a Romanian company on its date. Use it when somebody has an "+
		"invoice's CUI and date, and wants to know about VAT, VAT on collection, or the exchange rate."),
}

func skill(name, description string) text {
	return text{protocol.NewResource("skill://"+name+"/SKILL.md", name, protocol.WithMIMEType("text/markdown"),
		protocol.WithResourceDescription(description)), strings.ReplaceAll(name, "-", "_") + ".md", nil}
}

// read answers with the content. Markdown is a skill, which begins with its name and description.
func (t *text) read(ctx context.Context, _ protocol.ReadResourceRequest) ([]protocol.ResourceContents, error) {
	x := exchangeOf(ctx)
	content := fill(t.file, map[string]string{"base": x.BaseURL(x.r), "version": serverInfo.Version})
	if t.meta == nil {
		content = "---\nname: " + t.Name + "\ndescription: " + t.Description + "\n---\n\n" + content
	}

	return []protocol.ResourceContents{protocol.TextResourceContents{URI: t.URI, MIMEType: t.MIMEType, Text: content,
		Meta: t.meta}}, nil
}
