package site

import "strings"

// sampleCompanies are the companies of guides and samples in a deployment. They are known to its registries.
type sampleCompanies struct {
	// invented is true in the sandbox, whose guides need no translation.
	invented bool
	replacer *strings.Replacer
}

// In the sandbox, the numbers that operations have as examples become those of invented companies. Elsewhere, the
// invented companies of guides become large companies that everyone knows.
var (
	inSandbox = sampleCompanies{invented: true, replacer: strings.NewReplacer("14399840", "9900000010", "1590082", "9900000029")}
	elsewhere = sampleCompanies{replacer: strings.NewReplacer(
		"9900000010", "14399840", "9900000096", "14399840", "9900000118", "14399840", "9900000134", "14399840",
		"9900000029", "1590082", "9900009990", "1590082",
		"exemplu%20transilvan", "dante%20international", "exemplu%20tr", "dante%20int",
	)}
)

// sampleCompaniesOf returns the companies for an environment.
func sampleCompaniesOf(environment string) sampleCompanies {
	if environment == "sandbox" {
		return inSandbox
	}
	return elsewhere
}

// in returns a text with the deployment's companies in place of others.
func (c sampleCompanies) in(text string) string { return c.replacer.Replace(text) }
