package telemetry

var (
	mirrorScopeDesc  = desc("rodata_mirror_companies", "Companies in the mirror's scope.")
	mirrorLookedDesc = desc("rodata_mirror_looked_at",
		"Companies checked in the last 24 hours, by the mirror or for callers.")
	mirrorOldestDesc = desc("rodata_mirror_oldest_look_age_seconds",
		"Time since the least recently checked company that is watched and paid for was checked; 0 if there is none.")
	mirrorUsedDesc = desc("rodata_mirror_share_used",
		"Part of the tax authority's ration that this process used for the mirror in the last hour.")
	mirrorShareDesc   = desc("rodata_mirror_share", "Part of the tax authority's ration that the mirror may use.")
	mirrorLeadDesc    = desc("rodata_mirror_leading", "1 in the process that runs the mirror.")
	mirrorOverdueDesc = desc("rodata_mirror_overdue",
		"Watched companies that are overdue for a check by a day or more.")
	mirrorUnpaidDesc = desc("rodata_mirror_unpaid",
		"Watched companies that are not checked because no account has paid for them this month.")
	webhooksDesc    = desc("rodata_webhooks", "Webhooks of all accounts, by state: active, disabled.", "state")
	webhooksAgeDesc = desc("rodata_webhook_backlog_age_seconds",
		"Time for which the oldest delivery of a webhook that is not failing has been due; 0 if there is none.")
)

// writeMirror writes the metrics of the mirror. All processes on one store report the same values, except the counters
// of their own work.
func (r *Reading) writeMirror(o output) {
	m := &r.Mirror
	o.gauge(mirrorScopeDesc, float64(m.InScope))
	o.gauge(mirrorLookedDesc, float64(m.LookedAt))
	o.gauge(mirrorOldestDesc, age(m.Oldest))
	o.gauge(mirrorUsedDesc, m.Used)
	o.gauge(mirrorShareDesc, m.Share)
	o.gauge(mirrorLeadDesc, boolValue(m.Leading))
	o.gauge(mirrorOverdueDesc, float64(m.Overdue))
	o.gauge(mirrorUnpaidDesc, float64(m.Unpaid))
}

// writeWebhooks writes the state of deliveries. All processes on one store report the same values.
func (r *Reading) writeWebhooks(o output) {
	if b := r.Webhooks; b != nil {
		o.gauge(webhooksDesc, float64(b.Active), "active")
		o.gauge(webhooksDesc, float64(b.Disabled), "disabled")
		o.gauge(webhooksAgeDesc, age(b.Oldest))
	}
}
