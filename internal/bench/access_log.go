package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// accessLog has the totals of an access log that spans several files.
type accessLog struct{ lines, bytes, rotations int }

// readAccessLog reads an access log and its rotated files. Every line must be JSON.
func readAccessLog(path string) (log accessLog, err error) {
	pattern := strings.TrimSuffix(path, filepath.Ext(path)) + "*" + filepath.Ext(path)
	files, err := filepath.Glob(pattern)
	if err != nil {
		return log, err
	}

	log.rotations = len(files) - 1
	for _, file := range files {
		err := eachLine(file, func(line []byte) error {
			log.lines++
			log.bytes += len(line) + 1
			if !json.Valid(line) {
				return fmt.Errorf("%s contains %q, which is not JSON", filepath.Base(file), line)
			}

			return nil
		})
		if err != nil {
			return log, err
		}
	}

	return log, nil
}

func eachLine(file string, do func([]byte) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()

	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		if err := do(scanner.Bytes()); err != nil {
			return err
		}
	}

	return scanner.Err()
}

// message is a message in the log of a process.
type message struct {
	level, text string
	times       int
	example     string // a line
}

// readLog counts the messages of a log by level and text, the most frequent first. Lines that are not JSON have no
// level.
func readLog(file string) (messages []*message, err error) {
	err = eachLine(file, func(line []byte) error {
		var entry struct{ Level, Msg string }
		if json.Unmarshal(line, &entry) != nil {
			entry.Msg = string(line)
		}

		i := slices.IndexFunc(messages, func(m *message) bool { return m.level == entry.Level && m.text == entry.Msg })
		if i < 0 {
			i, messages = len(messages), append(messages, &message{entry.Level, entry.Msg, 0, string(line)})
		}

		messages[i].times++
		return nil
	})
	slices.SortStableFunc(messages, func(a, b *message) int { return cmp.Compare(b.times, a.times) })
	return messages, err
}
