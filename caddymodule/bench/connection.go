package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// connection is a keep-alive connection to a server. It is as little of an HTTP
// client as will do: a real one would cost the two cores more than the server
// that is measured.
type connection struct {
	net.Conn
	in   *bufio.Reader
	body []byte
}

func connect(address string) (*connection, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &connection{Conn: conn, in: bufio.NewReaderSize(conn, 8<<10)}, nil
}

// get is a GET request.
func get(address, path string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\n\r\n", path, address)
}

// answerTimeout bounds one answer, so that a server that hangs ends the run.
const answerTimeout = 30 * time.Second

// ask sends a request and reads the answer. The body is valid until the next
// call.
func (c *connection) ask(request []byte) (status int, body []byte, err error) {
	if err := c.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return 0, nil, err
	}
	if _, err := c.Write(request); err != nil {
		return 0, nil, err
	}
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, nil, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return 0, nil, fmt.Errorf("answered %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, nil, err
	}
	length, err := c.readHeader()
	if err != nil {
		return status, nil, err
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	c.body = c.body[:length]
	_, err = io.ReadFull(c.in, c.body)
	return status, c.body, err
}

// readHeader reads the header and gives the length of the body.
func (c *connection) readHeader() (length int, err error) {
	length = -1
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if len(line) <= 2 {
			break
		}
		const name = "Content-Length: "
		if len(line) > len(name) && bytes.EqualFold(line[:len(name)], []byte(name)) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(name):]))); err != nil {
				return 0, err
			}
		}
	}
	if length < 0 {
		return 0, errors.New("the answer has no Content-Length")
	}
	return length, nil
}

// fetch asks once, on a connection of its own; any answer but a 200 is an error.
func fetch(address string, request []byte) ([]byte, error) {
	c, err := connect(address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	status, body, err := c.ask(request)
	if err == nil && status != 200 {
		err = fmt.Errorf("answered %d: %s", status, body)
	}
	return body, err
}
