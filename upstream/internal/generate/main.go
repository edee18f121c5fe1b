// Command generate makes the compact texts that the nomenclatures are embedded
// as, out of the tables that they were published as:
//
//	generate caen data/ caen.txt
//	generate siruta data/ siruta.txt
//
// It checks what it reads: a table that contradicts itself makes no text. Where
// the tables come from is told beside them, in PROVENANCE.md.
package main

import (
	"fmt"
	"os"
)

var nomenclatures = map[string]func(dir string) ([]byte, error){"caen": caen, "siruta": siruta}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 || nomenclatures[args[0]] == nil {
		return fmt.Errorf("three arguments are needed: caen or siruta, the folder of the tables, the file to write")
	}
	text, err := nomenclatures[args[0]](args[1])
	if err != nil {
		return fmt.Errorf("making %s: %w", args[0], err)
	}

	return os.WriteFile(args[2], text, 0o644)
}
