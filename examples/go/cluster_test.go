// SPDX-License-Identifier: Apache-2.0

package example

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

type cluster struct {
	t         *testing.T
	Bootstrap string
	Control   string
}

// start runs a fake Kafka cluster for the length of a test.
func start(t *testing.T, options ...string) *cluster {
	arguments := append([]string{"cluster", "--port", "0", "--json", "--exit-with-parent"}, options...)
	command := exec.Command(cmp.Or(os.Getenv("KTRIAL"), "ktrial"), arguments...)
	command.Stderr = os.Stderr
	ready, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Signal(os.Interrupt)
		if err := command.Wait(); err != nil {
			t.Error(err)
		}
	})
	c := &cluster{t: t}
	if err := json.NewDecoder(ready).Decode(c); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *cluster) brokers() []string { return strings.Split(c.Bootstrap, ",") }

func (c *cluster) rule(rule string) {
	answer, err := http.Post(c.Control+"v1/rules", "application/json", bytes.NewBufferString(rule))
	if err != nil {
		c.t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode >= 300 {
		c.t.Fatal(answer.Status)
	}
}

func (c *cluster) hits(name string) int {
	answer, err := http.Get(c.Control + "v1/rules/" + name)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	var rule struct{ Hits int }
	if err := json.NewDecoder(answer.Body).Decode(&rule); err != nil {
		c.t.Fatal(err)
	}
	return rule.Hits
}
