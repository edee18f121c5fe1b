package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"slices"
	"strconv"
	"time"
)

// connection is a keep-alive connection to a server. It is a minimal HTTP client: a real client would use more of the
// two cores than the measured server.
type connection struct {
	net.Conn
	address string
	in      *bufio.Reader
	body    []byte
}

func connect(address string) (*connection, error) {
	c := &connection{address: address}
	return c, c.redial()
}

// redial opens the connection, replacing one that has ended.
func (c *connection) redial() (err error) {
	if c.Conn != nil {
		c.Conn.Close()
	}
	if c.Conn, err = net.Dial("tcp", c.address); err != nil {
		return err
	}

	c.in = bufio.NewReaderSize(c.Conn, 8<<10)
	return nil
}

// close closes the connection, if there is one.
func (c *connection) close() {
	if c.Conn != nil {
		c.Conn.Close()
	}
}

// get is a GET request.
func get(address, path string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\n\r\n", path, address)
}

// ask sends a request and reads the answer. The body is valid until the next call. The status is 0 if no answer began.
func (c *connection) ask(request []byte) (status int, body []byte, err error) {
	if err := c.SetDeadline(time.Now().Add(serverTimeout)); err != nil {
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
	if err == nil {
		err = c.readBody(length)
	}

	return status, c.body, err
}

// chunked is the length that readHeader returns for a chunked body.
const chunked = -1

// readHeader reads the header and returns the length of the body.
func (c *connection) readHeader() (length int, err error) {
	length = chunked
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if len(line) <= 2 {
			return length, nil
		}

		const name = "Content-Length: "
		if len(line) > len(name) && bytes.EqualFold(line[:len(name)], []byte(name)) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(name):]))); err != nil {
				return 0, err
			}
		}
	}
}

func (c *connection) readBody(length int) (err error) {
	if length != chunked {
		c.body = slices.Grow(c.body[:0], length)[:length]
		_, err = io.ReadFull(c.in, c.body)
		return err
	}

	if c.body, err = io.ReadAll(httputil.NewChunkedReader(c.in)); err != nil {
		return err
	}

	_, err = c.in.ReadSlice('\n') // the empty line after the last chunk
	return err
}

// fetch sends a request on a new connection and returns the body. Any status other than 200 is an error.
func fetch(address string, request []byte) ([]byte, error) {
	c, err := connect(address)
	if err != nil {
		return nil, err
	}
	defer c.close()

	return c.expect(request)
}

// expect sends a request like ask and returns the body. Any status other than 200 is an error.
func (c *connection) expect(request []byte) (body []byte, err error) {
	status, body, err := c.ask(request)
	if err == nil && status != 200 {
		err = fmt.Errorf("%.80s: answered %d: %s", request, status, body)
	}
	return body, err
}
