package mcp

import (
	"encoding/json"
	"reflect"
	"testing"
)

// plainMessage returns the same message as encoding/json, or nil.
func FuzzPlainMessage(f *testing.F) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_company","arguments":{"cui":"9900000010"}}}`,
		` { "jsonrpc" : "2.0" , "id" : "a" , "method" : "ping" , "params" : { } } `,
		`{"jsonrpc":"2.0","id":null,"method":"x"}`, `{"id":1,"id":2,"method":"x"}`,
		`{"method":"x","params":{"a":1},"params":{"b":2}}`,
		`{"Method":"x"}`, `{"method":"\u0078"}`, `{"method":"x","params":{"\u0061":[1,{"b":"}"}]}}`,
		`{"method":"x","params":null}`, `{"method":"x","params":[]}`,
		`{"method":1}`, `{"method":"","method":"x"}`, `{"id":{},"method":"x"}`, `{"method":"x","result":1}`, `{}`, `[]`,
		`1`, `{"method":"x"`, `{"method":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":-1.5e3,"a":true,"c":null,"d":"\\\""}}`,
	} {
		f.Add(body)
	}

	f.Fuzz(func(t *testing.T, body string) {
		got := plainMessage([]byte(body))
		if got == nil {
			return
		}

		want := new(message)
		if err := json.Unmarshal([]byte(body), want); err != nil {
			t.Fatalf("%s is decoded, though %v", body, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is decoded as %+v, want %+v", body, got, want)
		}
	})
}

// plainMessage decodes the messages that the official clients send.
func TestUsualMessagesArePlain(t *testing.T) {
	for _, body := range []string{begin, list, companyCall(1, example)} {
		if plainMessage([]byte(body)) == nil {
			t.Errorf("%s is not plain", body)
		}
	}
}
