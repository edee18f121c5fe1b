package telemetry

import (
	"errors"
	"strconv"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/upstream/onrc"
	"github.com/rodata/rodata/upstream/onrc/statements"
	"github.com/rodata/rodata/upstream/vatcollection"
)

var (
	registerDesc = desc("rodata_register_companies", "Companies in the release of the trade register that is served.")
	loadingDesc  = desc("rodata_register_loading", "1 while a release of the trade register is being loaded.")
	releaseDesc  = desc("rodata_register_refused",
		"1 while the newest release of the trade register is refused as implausible and an older one is served.")
	takeDesc = desc("rodata_register_take_failed",
		"1 while the published index of the trade register cannot be downloaded; the previous index is served, or "+
			"releases are loaded here.")
	publishDesc = desc("rodata_register_publish_failed",
		"1 while the index of the trade register cannot be published.")
	statementsDesc = desc("rodata_statements_refused",
		"1 while the newest yearly statements of a year and family are refused, because their columns are not understood.",
		"year", "family")
	linesDesc = desc("rodata_vat_collection_lines",
		"Lines of the file of the register of VAT on collection that is served.")
	troubleDesc = desc("rodata_vat_collection_failed",
		"1 while the newest file of the register of VAT on collection is unavailable and the previous one is served, "+
			"by reason: no file for recent days (absent), implausible content (refused), server error (unreachable).",
		"reason")
)

func (r *Reading) writeRegister(o output) {
	status := r.Register
	o.gauge(registerDesc, float64(status.Companies))
	o.gauge(loadingDesc, boolValue(status.Loading))
	o.gauge(releaseDesc, boolValue(errors.Is(status.Err, onrc.ErrRefused)))
	o.gauge(takeDesc, boolValue(status.InstallErr != nil))
	o.gauge(publishDesc, boolValue(status.PublishErr != nil))
	for year := company.FirstFiledYear; year <= company.LastFiledYear(); year++ {
		for _, family := range statements.Families {
			_, refused := r.RefusedStatements[statements.Key{Year: year, Family: family}]
			o.gauge(statementsDesc, boolValue(refused), strconv.Itoa(year), string(family))
		}
	}
}

func (r *Reading) writeVATCollection(o output) {
	status := r.VATCollection
	if status == nil {
		return
	}

	o.gauge(linesDesc, float64(status.Rows))
	for _, reason := range []vatcollection.Trouble{
		vatcollection.Absent, vatcollection.Refused, vatcollection.Unreachable,
	} {
		o.gauge(troubleDesc, boolValue(status.Trouble == reason), string(reason))
	}
}
