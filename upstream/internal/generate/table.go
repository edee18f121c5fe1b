package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// table reads the rows below the header of a tab-separated file, each a map
// from the header's names to the row's texts. Nothing is quoted in these files.
func table(dir, name string) ([]map[string]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(string(data), "ŞşŢţ\r\"") {
		return nil, fmt.Errorf("%s holds a cedilla, a carriage return or a quotation mark", name)
	}

	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	header := strings.Split(lines[0], "\t")
	var rows []map[string]string
	for i, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		if len(fields) != len(header) {
			return nil, fmt.Errorf("%s, line %d: %d fields instead of %d", name, i+2, len(fields), len(header))
		}

		row := map[string]string{}
		for j, field := range fields {
			row[header[j]] = field
		}

		rows = append(rows, row)
	}

	return rows, nil
}
