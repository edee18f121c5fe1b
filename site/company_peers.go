package site

import "github.com/rodata/rodata/api/company"

// peerBand compares a figure with that of the companies with the same activity: a band from the 10th to the 90th
// percentile, the middle half in it, the median, and a mark for the company. Positions are percentages.
type peerBand struct {
	Label                  string // the percentiles in words, for screen readers
	Text                   string // the rank of the company, or the median
	Low, Width             string // the band
	MiddleLow, MiddleWidth string
	Median, MedianText     string
	Own                    string // the mark; empty if the company does not state the figure
	Beyond                 string // the sign of a mark that is beyond the scale
	LowAt, LowText         string
	HighAt, HighText       string
}

const (
	bandLow, bandHigh = 14.0, 86.0 // the positions of the 10th and of the 90th percentile
	// bandEnds is the distance of the scale's ends from those of the drawing. Marks beyond the scale are there.
	bandEnds = 3.0
)

// band compares a figure of the company, by its index in figures, with that of the peers. It returns nil if no peer
// states the figure.
func (p *companyPage) band(figure int) *peerBand {
	if p.Peers == nil {
		return nil
	}

	f := p.Peers.Figures()[figure]
	if f.P50 == nil {
		return nil
	}

	at := func(value *int64) float64 {
		switch low, high := float64(*f.P10), float64(*f.P90); {
		case low < high:
			return bandLow + (bandHigh-bandLow)*(float64(*value)-low)/(high-low)
		case *value == *f.P10:
			return 50
		case *value < *f.P10:
			return 0
		}
		return 100
	}

	low, high, middle := at(f.P10), at(f.P90), at(f.P25)
	b := &peerBand{Low: percent(low), Width: percent(max(1, high-low)), MiddleLow: percent(middle),
		MiddleWidth: percent(max(1, at(f.P75)-middle)), Median: percent(at(f.P50)),
		LowAt: percent(low), LowText: p.compact(*f.P10), HighAt: percent(high), HighText: p.compact(*f.P90)}
	b.Label = p.say("peers.label", "p10", p.number(*f.P10), "p25", p.number(*f.P25), "p50", p.number(*f.P50),
		"p75", p.number(*f.P75), "p90", p.number(*f.P90))

	who := p.say("peers.who", "count", must(p.plural("companies.count", f.N)), "level",
		p.say("level."+string(*f.Level)), "code", *f.Code)
	args := []any{"who", who, "year", p.Peers.Year, "median", p.number(*f.P50)}
	if f.Rank == nil {
		b.Text = p.say("peers.median", args...)
		return b
	}

	b.Text = p.say("peers.rank", append(args, "rank", p.number(*f.Rank))...)
	switch own := at(f.Value); {
	case own < bandEnds:
		b.Own, b.Beyond = percent(bandEnds), "‹"
	case own > 100-bandEnds:
		b.Own, b.Beyond = percent(100-bandEnds), "›"
	default:
		b.Own = percent(own)
	}

	return b
}

// NoPeers says why the company is not compared with others; empty if it is.
func (p *companyPage) NoPeers() string {
	if p.Peers == nil {
		return p.say("peers.failed")
	}
	if p.Peers.Reason == nil {
		return ""
	}

	why := "peers.notInFiles"
	switch reason := company.StatementReason(*p.Peers.Reason); reason {
	case company.StatementReason(company.NoActivity):
		why = "peers.noActivity"
	case company.FilesNotPublished, company.FilesNotLoaded, company.YearRefused:
		why = "gap." + string(reason)
	}

	return p.say("peers.none", "year", p.Peers.Year, "why", p.say(why))
}
