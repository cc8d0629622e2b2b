// SPDX-License-Identifier: Apache-2.0

// kafka-go: a classic consumer group; who has which partitions is asked of the broker, because its
// Reader does not tell.
package main

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
	"ktrial/goflow"
)

var codecs = map[string]kafka.Compression{"gzip": kafka.Gzip, "snappy": kafka.Snappy, "lz4": kafka.Lz4, "zstd": kafka.Zstd}

func produce(topic, codec string, records []goflow.Record) error {
	writer := &kafka.Writer{Addr: kafka.TCP(goflow.Brokers...), Topic: topic, Compression: codecs[codec],
		RequiredAcks: kafka.RequireAll, BatchTimeout: 5 * time.Millisecond,
		Balancer: kafka.BalancerFunc(func(message kafka.Message, _ ...int) int { return int(message.Key[0]) })}
	messages := []kafka.Message{}
	for _, record := range records {
		messages = append(messages, kafka.Message{Key: []byte{byte(record.Partition)}, Value: []byte(record.Value)})
	}
	return errors.Join(writer.WriteMessages(context.Background(), messages...), writer.Close())
}

type member struct {
	reader *kafka.Reader
	id     string
	saw    func(goflow.Record)
	done   chan struct{}
	mutex  sync.Mutex
	read   []kafka.Message
}

func (m *member) Assignment() (share []int32) {
	client := kafka.Client{Addr: kafka.TCP(goflow.Brokers...)}
	answer, err := client.DescribeGroups(context.Background(),
		&kafka.DescribeGroupsRequest{GroupIDs: []string{m.reader.Config().GroupID}})
	if err != nil || answer.Groups[0].GroupState != "Stable" {
		return nil
	}
	for _, each := range answer.Groups[0].Members {
		if each.ClientID == m.id {
			for _, partition := range each.MemberAssignments.Topics[0].Partitions {
				share = append(share, int32(partition))
			}
		}
	}
	return share
}

func (m *member) Commit() error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	err := m.reader.CommitMessages(context.Background(), m.read...)
	m.read = nil
	return err
}

func (m *member) Close() error {
	err := m.reader.Close()
	<-m.done
	return err
}

func (m *member) run() {
	defer close(m.done)
	for {
		message, err := m.reader.FetchMessage(context.Background())
		if errors.Is(err, io.EOF) {
			return
		}
		goflow.Check(err)
		m.mutex.Lock()
		m.read = append(m.read, message)
		m.mutex.Unlock()
		m.saw(goflow.Record{Partition: int32(message.Partition), Value: string(message.Value)})
	}
}

var members int

func join(topic, group string, saw func(goflow.Record)) (goflow.Member, error) {
	members++
	m := &member{id: "member-" + string(rune('0'+members)), saw: saw, done: make(chan struct{})}
	m.reader = kafka.NewReader(kafka.ReaderConfig{Brokers: goflow.Brokers, GroupID: group, Topic: topic,
		StartOffset: kafka.FirstOffset, HeartbeatInterval: 500 * time.Millisecond, MaxWait: 500 * time.Millisecond,
		Dialer: &kafka.Dialer{ClientID: m.id, Timeout: 10 * time.Second}})
	go m.run()
	return m, nil
}

func main() {
	client := goflow.Client{Produce: produce, Join: join}
	goflow.Group("classic", "classic", "zstd", client)
	goflow.Group("classic", "consumer", "lz4", client)
}
