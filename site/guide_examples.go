package site

import (
	"regexp"
	"strings"
)

// Guides are written for the sandbox, and a test runs them against it. Text for one kind of deployment stands between
// comments: <!-- sandbox -->text<!-- elsewhere -->other text<!-- end -->.
var (
	forSandbox = regexp.MustCompile(`(?s)<!-- sandbox -->\n?(.*?)(?:<!-- elsewhere -->(.*?))?<!-- end -->`)
	codeBlock  = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```\n")
)

// guide returns the text of a guide for the deployment. With real registries, the requests are changed to ask for real
// companies. The printed answers stay and are marked as answers of the sandbox.
func (c sampleCompanies) guide(source string, w words) string {
	if c.invented {
		return forSandbox.ReplaceAllString(source, "$1")
	}

	source = forSandbox.ReplaceAllString(source, "$2")

	var text strings.Builder
	for {
		at := codeBlock.FindStringSubmatchIndex(source)
		if at == nil {
			return text.String() + c.replaceIn(source)
		}

		text.WriteString(c.replaceIn(source[:at[0]]))
		block, language, code := source[at[0]:at[1]], source[at[2]:at[3]], source[at[4]:at[5]]
		if language == "console" {
			text.WriteString(block + "\n" + w.say("reference.invented") + " " + w.say("reference.here") +
				"\n\n```sh\n" + c.replaceIn(commandsIn(code)) + "```\n")
		} else {
			text.WriteString(c.replaceIn(block))
		}

		source = source[at[1]:]
	}
}

// commandsIn returns the commands in the text of a console, without the prompts.
func commandsIn(console string) string {
	var commands strings.Builder
	continued := false
	for line := range strings.Lines(console) {
		command, begins := strings.CutPrefix(line, "$ ")
		if begins || continued {
			commands.WriteString(command)
			continued = strings.HasSuffix(line, "\\\n")
		}
	}

	return commands.String()
}
