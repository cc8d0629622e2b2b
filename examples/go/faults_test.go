// SPDX-License-Identifier: Apache-2.0

package example

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func send(t *testing.T, c *cluster, value string) {
	client, err := kgo.NewClient(kgo.SeedBrokers(c.brokers()...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	record := &kgo.Record{Topic: "orders", Value: []byte(value)}
	if err := client.ProduceSync(context.Background(), record).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// all reads what the topic holds, and waits a little for what should not be there.
func all(t *testing.T, c *cluster) (values []string) {
	client, err := kgo.NewClient(kgo.SeedBrokers(c.brokers()...), kgo.ConsumeTopics("orders"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	patience, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for patience.Err() == nil {
		client.PollFetches(patience).EachRecord(func(r *kgo.Record) { values = append(values, string(r.Value)) })
	}
	return values
}

func TestAMovedLeaderIsFoundAgain(t *testing.T) {
	c := start(t, "--topic", "orders")
	c.rule(`{"id": "moved", "when": {"api": "Produce", "times": 2}, "do": {"error": "NOT_LEADER_OR_FOLLOWER"}}`)
	send(t, c, "hello")
	if hits := c.hits("moved"); hits != 2 {
		t.Errorf("the rule acted %d times", hits)
	}
	if got := all(t, c); len(got) != 1 || got[0] != "hello" {
		t.Errorf("the topic holds %q", got)
	}
}

func TestALostAnswerMakesNoDuplicate(t *testing.T) {
	c := start(t, "--topic", "orders")
	c.rule(`{"id": "lost", "when": {"api": "Produce", "times": 1}, "do": {"close": "rst", "apply": true}}`)
	send(t, c, "once")
	if hits := c.hits("lost"); hits != 1 {
		t.Errorf("the rule acted %d times", hits)
	}
	if got := all(t, c); len(got) != 1 || got[0] != "once" {
		t.Errorf("the topic holds %q", got)
	}
}
