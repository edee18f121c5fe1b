package site

import "strings"

// sampleCompanies are the companies in the guides and samples of a deployment. The registries of the deployment know
// them.
type sampleCompanies struct {
	// invented is true in the sandbox. Its guides need no other companies, because guides are written for the sandbox.
	invented bool
	replacer *strings.Replacer
}

// In the sandbox, the numbers in the examples of operations are replaced by numbers of invented companies. In other
// deployments, the invented companies of the guides are replaced by large, well-known companies.
var (
	inSandbox = sampleCompanies{invented: true,
		replacer: strings.NewReplacer("14399840", "9900000010", "1590082", "9900000029")}
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

// replaceIn replaces the companies in a text by companies that the deployment knows.
func (c sampleCompanies) replaceIn(text string) string { return c.replacer.Replace(text) }
