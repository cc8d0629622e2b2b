// SPDX-License-Identifier: Apache-2.0

// sarama: a classic consumer group, and a transaction that is aborted and one that commits.
package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/IBM/sarama"
	"ktrial/goflow"
)

var codecs = map[string]sarama.CompressionCodec{"gzip": sarama.CompressionGZIP, "lz4": sarama.CompressionLZ4}

func config() *sarama.Config {
	config := sarama.NewConfig()
	config.Version = sarama.MaxVersion
	config.Producer.RequiredAcks = sarama.WaitForAll
	config.Producer.Return.Successes = true
	config.Producer.Partitioner = sarama.NewManualPartitioner
	config.Producer.Idempotent = true
	config.Net.MaxOpenRequests = 1 // as its idempotent producer demands
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	config.Consumer.Offsets.AutoCommit.Enable = false
	config.Consumer.Group.Heartbeat.Interval = 500 * time.Millisecond
	return config
}

func rows(topic string, records []goflow.Record) (out []*sarama.ProducerMessage) {
	for _, record := range records {
		out = append(out, &sarama.ProducerMessage{Topic: topic, Partition: record.Partition,
			Value: sarama.StringEncoder(record.Value)})
	}
	return out
}

func produce(topic, codec string, records []goflow.Record) error {
	config := config()
	config.Producer.Compression = codecs[codec]
	producer, err := sarama.NewSyncProducer(goflow.Brokers, config)
	if err != nil {
		return err
	}
	return errors.Join(producer.SendMessages(rows(topic, records)), producer.Close())
}

// A member is the handler of its own sessions.
type member struct {
	group   sarama.ConsumerGroup
	topic   string
	saw     func(goflow.Record)
	done    chan struct{}
	mutex   sync.Mutex
	session sarama.ConsumerGroupSession
}

func (m *member) set(session sarama.ConsumerGroupSession) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.session = session
	return nil
}

func (m *member) Setup(session sarama.ConsumerGroupSession) error { return m.set(session) }
func (m *member) Cleanup(sarama.ConsumerGroupSession) error       { return m.set(nil) }

func (m *member) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for message := range claim.Messages() {
		session.MarkMessage(message, "")
		m.saw(goflow.Record{Partition: message.Partition, Value: string(message.Value)})
	}
	return nil
}

func (m *member) Assignment() []int32 {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.session == nil {
		return nil
	}
	return m.session.Claims()[m.topic]
}

func (m *member) Commit() error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.session == nil {
		return errors.New("no session to commit in")
	}
	m.session.Commit()
	return nil
}

func (m *member) Close() error {
	err := m.group.Close()
	<-m.done
	return err
}

func join(config *sarama.Config) func(string, string, func(goflow.Record)) (goflow.Member, error) {
	return func(topic, group string, saw func(goflow.Record)) (goflow.Member, error) {
		client, err := sarama.NewConsumerGroup(goflow.Brokers, group, config)
		if err != nil {
			return nil, err
		}
		m := &member{group: client, topic: topic, saw: saw, done: make(chan struct{})}
		go func() {
			defer close(m.done)
			for {
				err := client.Consume(context.Background(), []string{topic}, m)
				if errors.Is(err, sarama.ErrClosedConsumerGroup) {
					return
				}
				goflow.Check(err)
			}
		}()
		return m, nil
	}
}

func transactions(topic string) {
	config := config()
	config.Producer.Transaction.ID = "sarama"
	producer, err := sarama.NewSyncProducer(goflow.Brokers, config)
	goflow.Check(err)
	witness := &goflow.Witness{}
	aborted := (&goflow.Witness{}).Make(1)
	for i := range aborted {
		aborted[i].Value = "never to be read"
	}
	goflow.Check(producer.BeginTxn())
	goflow.Check(producer.SendMessages(rows(topic, aborted)))
	goflow.Check(producer.AbortTxn())
	goflow.Check(producer.BeginTxn())
	goflow.Check(producer.SendMessages(rows(topic, witness.Make(goflow.Wave))))
	goflow.Check(producer.CommitTxn())
	goflow.Check(producer.Close())
	config.Consumer.IsolationLevel = sarama.ReadCommitted
	reader, err := join(config)(topic, "committed", witness.Saw)
	goflow.Check(err)
	goflow.Check(witness.Until(witness.HasAll, "the committed records", reader))
	goflow.Check(reader.Close())
	fmt.Printf("transactions: %d records committed, %d aborted\n", witness.Total(), len(aborted))
}

func main() {
	client := goflow.Client{Produce: produce, Join: join(config())}
	goflow.Group("classic", "classic", "gzip", client)
	goflow.Group("classic", "consumer", "lz4", client)
	transactions("transactions")
}
