package main

import (
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// logForPeople limits Caddy's log, until a configuration sets one, to warnings without timestamps. Commands return
// errors, which need no log line.
func logForPeople(out io.Writer) {
	encoder := zapcore.NewConsoleEncoder(zapcore.EncoderConfig{
		LevelKey: "level", MessageKey: "message", ConsoleSeparator: " ",
		EncodeLevel: func(_ zapcore.Level, to zapcore.PrimitiveArrayEncoder) { to.AppendString("Warning:") },
	})
	warnings := zap.LevelEnablerFunc(func(level zapcore.Level) bool { return level == zapcore.WarnLevel })
	caddy.BufferedLog() // the only way to make Caddy replace its default log
	caddy.UnbufferDefaultLogger(zap.New(zapcore.NewCore(encoder, zapcore.AddSync(plainWriter{out}), warnings)))
}

// plainWriter rewrites Caddy's messages in plain words.
type plainWriter struct{ io.Writer }

func (w plainWriter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, plain(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

const addressInUse = "another program listens on $1: stop it, or choose another address (RODATA_ADDRESS; CADDY_ADMIN " +
	"for the admin API)"

var (
	configPath = regexp.MustCompile(`(sending|loading|starting) .*` +
		`(rodata: invalid configuration|provision rodata|provision http\.ip_sources\.\w+): `)
	addressUse = regexp.MustCompile(`.*listen \w+ (\S+): bind: address already in use`)
)

// plain rewrites one of Caddy's messages: it uses this program's commands, omits how Caddy came to a setting, and adds
// the remedy for an address in use.
func plain(text string) string {
	text = strings.Replace(ownName(text), "adapting config using rodata: ", "", 1)
	text = configPath.ReplaceAllString(text, "the configuration is not valid: ")
	return addressUse.ReplaceAllString(text, addressInUse)
}

// plainError is one of Caddy's errors in plain words, with the environment variables whose values it quotes
// and does not name.
type plainError struct{ error }

func (e *plainError) Error() string {
	text := plain(e.error.Error())
	for _, set := range os.Environ() {
		name, value, _ := strings.Cut(set, "=")
		if strings.HasPrefix(name, "RODATA_") && value != "" && !strings.Contains(text, name) &&
			(strings.Contains(text, strconv.Quote(value)) || strings.Contains(text, "'"+value+"'")) {
			text += " (" + name + ")"
		}
	}

	return text
}

// Unwrap returns Caddy's error.
func (e *plainError) Unwrap() error { return e.error }
