package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// statementMemory and statementDisk are the most that the yearly statements may take: MiB of memory while they are
	// loaded, and MB on disk for all years.
	statementMemory = 64
	statementDisk   = 1_200
	statementYears  = 17 // that the ministry has published
	// settled is the time for which no calls are made after loading has been held or released, because the gateway
	// still loads what it has received.
	settled = time.Second
)

// measureStatements measures how much slower a gateway answers while it loads yearly statements, and the memory and
// disk space that they take. Windows without and with loading alternate: the portal holds back the rest of a file in
// between. The callers request cached profiles, balance sheets and pages of a search at a constant rate. It fails if a
// goal is missed.
func measureStatements(f *flag.FlagSet) func(context.Context, *testbed) error {
	years := f.Int("years", 8, "years of statements; the ministry has 17")
	small := f.Int("rows", 800_000, "statements of small companies a year")
	firms := f.Int("firms", 100_000, "companies in the trade register")
	rate := f.Int("rate", 500, "calls a second")
	window := f.Duration("window", 10*time.Second, "length of a window")
	return func(ctx context.Context, s *testbed) error {
		portal, err := newStatementPortal(*years, *small)
		if err != nil {
			return err
		}
		defer portal.close()

		queries, err := s.loadRegister(ctx, *firms)
		if err != nil {
			return err
		}

		server, err := s.statementServer(ctx, portal, *years)
		if err != nil {
			return err
		}

		var profiles, balances []string
		for _, c := range s.companies {
			path := "/v1/companies/" + c.CUI.String()
			profiles, balances = append(profiles, path), append(balances, path+sheets)
		}

		m := &statementLoad{server: server, portal: portal, files: 3 * *years,
			dir: filepath.Join(s.folder, "register.data", "onrc", "statements"),
			calls: []queryKind{{"cached profiles", profiles}, {"balance sheets", balances},
				{"pages of a search", searchPaths(queries)}}}
		if err := m.measure(ctx, schedule{rate: *rate, duration: *window, connections: 16}); err != nil {
			return err
		}
		return m.report(*years)
	}
}

// searchPaths returns the queries of all kinds except suggestions and typing errors.
func searchPaths(kinds []queryKind) (paths []string) {
	for _, kind := range kinds[:len(kinds)-2] {
		paths = append(paths, kind.paths...)
	}
	return paths
}

// statementServer starts a gateway that has the companies and their balance sheets in its cache. The portal holds back
// its files.
func (s *testbed) statementServer(ctx context.Context, portal *statementPortal, years int) (*server, error) {
	filler, err := s.caddy(ctx, "filler", site(s.app("register"), "\trodata\n"))
	if err != nil {
		return nil, err
	}
	if err := s.fill(ctx, filler); err != nil {
		return nil, err
	}

	for _, c := range s.companies {
		if _, err := filler.warm(ctx, "/v1/companies/"+c.CUI.String()+sheets); err != nil {
			return nil, err
		}
	}
	if err := filler.stop(); err != nil {
		return nil, err
	}

	portal.holds.Store(true)
	app := strings.Replace(s.paced("register"), "upstream onrc {\n\t\t\toff", fmt.Sprintf(
		"upstream onrc {\n\t\t\turl %s\n\t\t\treleases off\n\t\t\tstatements %d", portal.URL, years), 1)
	return s.caddy(ctx, "register", site(app, "\trodata\n"))
}

// sheets requests the balance sheets of a company.
const sheets = "?include=balanceSheets"

// statementLoad is a gateway that loads statements, and what was measured of it.
type statementLoad struct {
	server *server
	portal *statementPortal
	calls  []queryKind // the kinds of calls, in the order of statementShares
	dir    string      // of the statements
	files  int         // that are to be loaded
	before int         // the most memory without and before loading, in KiB

	waiting, loading phase
}

// phase is what was measured in the windows without or with loading.
type phase struct {
	memory int       // the most, in KiB
	loads  [][]*load // by window: of each kind of call, and of all
}

// statementShares are the shares of the kinds of calls, in percent.
var statementShares = [...]int{80, 10, 10}

// measure alternates between windows without and with loading until all statements are loaded.
func (m *statementLoad) measure(ctx context.Context, plan schedule) error {
	for first := true; ; first = false {
		if err := m.window(ctx, plan, &m.waiting); err != nil {
			return err
		}
		if first { // it only warms up
			m.waiting.loads = nil
			continue
		}
		if m.before == 0 {
			m.before = m.waiting.memory
		}

		m.portal.holds.Store(false)
		if err := m.window(ctx, plan, &m.loading); err != nil {
			return err
		}

		loaded, err := filepath.Glob(filepath.Join(m.dir, "*.statements"))
		if err != nil || len(loaded) == m.files {
			return err
		}
		m.portal.holds.Store(true)
	}
}

// window runs a schedule of calls.
func (m *statementLoad) window(ctx context.Context, plan schedule, p *phase) error {
	most, stop := m.server.watchMemory(ctx)
	defer stop()
	if err := pause(ctx, settled); err != nil {
		return err
	}

	took := make([]latencies, len(m.calls)+1)
	err := plan.drive(ctx, m.server.address, func(c *connection, random *rand.Rand, due time.Time) error {
		kind, share := 0, random.IntN(100)
		for share >= statementShares[kind] {
			share -= statementShares[kind]
			kind++
		}

		paths := m.calls[kind].paths
		_, err := c.expect(get(c.address, paths[random.IntN(len(paths))]))
		took[kind].add(time.Since(due))
		took[len(m.calls)].add(time.Since(due))
		return err
	})

	stop()
	p.memory = max(p.memory, *most)
	var loads []*load
	for i := range took {
		loads = append(loads, &load{seconds: plan.duration.Seconds(), latency: took[i].from(0)})
	}

	p.loads = append(p.loads, loads)
	return err
}

// report prints the table, and compares it with the goals.
func (m *statementLoad) report(years int) error {
	// Loading ended within the last window, which does not count.
	windows := len(m.loading.loads) - 1
	if windows < 1 {
		return errors.New("the statements were loaded within the first window: measure more rows, or shorter windows")
	}

	printHeader("calls", "p50", "p50 while loading", "p99", "p99 while loading", "ratio of the p99")
	var ratio spread
	for kind := range len(m.calls) + 1 {
		without, with := m.waiting.of(kind, windows), m.loading.of(kind, windows)
		name := "all"
		if kind < len(m.calls) {
			name = m.calls[kind].name
		}

		ratio = ratios(with, without, func(l *load) float64 { return float64(percentile(l.latency, 0.99)) })
		fmt.Printf("| %s | %s | %s | %s | %s | %s |\n", name, medianLatency(without, 0.5), medianLatency(with, 0.5),
			medianLatency(without, 0.99), medianLatency(with, 0.99), ratio)
	}

	disk, err := sizeOfFiles(m.dir)
	if err != nil {
		return err
	}

	disk /= 1e6
	all := disk * statementYears / int64(years)
	more := (max(m.waiting.memory, m.loading.memory) - m.before) >> 10
	fmt.Printf("\n%d windows each; %d MiB more memory while loading than %d; %d MB on disk, %d for %d years\n", windows,
		more, m.before>>10, disk, all, statementYears)
	if ratio.median() > slower || more > statementMemory || all > statementDisk {
		return fmt.Errorf("the goals are a ratio of %.2f, %d MiB and %d MB", slower, statementMemory, statementDisk)
	}

	return nil
}

// of returns the loads of a kind of call in the first windows.
func (p *phase) of(kind, windows int) (loads []*load) {
	for _, of := range p.loads[:windows] {
		loads = append(loads, of[kind])
	}
	return loads
}

// sizeOfFiles returns the size of the files in a folder, in bytes.
func sizeOfFiles(dir string) (size int64, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		info, failed := e.Info()
		if err = errors.Join(err, failed); failed == nil {
			size += info.Size()
		}
	}
	return size, err
}
