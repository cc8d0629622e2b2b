// SPDX-License-Identifier: Apache-2.0

// franz-go: both group protocols, and a transaction that is aborted and one that commits.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"ktrial/goflow"
)

var (
	bootstrap = kgo.SeedBrokers(goflow.Brokers...)
	codecs    = map[string]kgo.CompressionCodec{"gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "none": kgo.NoCompression(), "zstd": kgo.ZstdCompression()}
)

func producer(options ...kgo.Opt) (*kgo.Client, error) {
	return kgo.NewClient(append(options, bootstrap, kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
}

func rows(topic string, records []goflow.Record) (out []*kgo.Record) {
	for _, record := range records {
		out = append(out, &kgo.Record{Topic: topic, Partition: record.Partition, Value: []byte(record.Value)})
	}
	return out
}

func produce(topic, codec string, records []goflow.Record) error {
	client, err := producer(kgo.ProducerBatchCompression(codecs[codec]))
	if err != nil {
		return err
	}
	defer client.Close()
	return client.ProduceSync(context.Background(), rows(topic, records)...).FirstErr()
}

type member struct {
	client *kgo.Client
	mutex  sync.Mutex
	share  map[int32]bool
	done   chan struct{}
}

func (m *member) Assignment() (share []int32) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for partition := range m.share {
		share = append(share, partition)
	}
	return share
}

func (m *member) Commit() error { return m.client.CommitUncommittedOffsets(context.Background()) }

func (m *member) Close() error {
	m.client.Close()
	<-m.done
	return nil
}

func (m *member) change(topic string, owned bool) func(context.Context, *kgo.Client, map[string][]int32) {
	return func(_ context.Context, _ *kgo.Client, changed map[string][]int32) {
		m.mutex.Lock()
		defer m.mutex.Unlock()
		for _, partition := range changed[topic] {
			if owned {
				m.share[partition] = true
			} else {
				delete(m.share, partition)
			}
		}
	}
}

func join(options ...kgo.Opt) func(string, string, func(goflow.Record)) (goflow.Member, error) {
	return func(topic, group string, saw func(goflow.Record)) (goflow.Member, error) {
		m := &member{share: map[int32]bool{}, done: make(chan struct{})}
		all := append([]kgo.Opt{bootstrap, kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic), kgo.DisableAutoCommit(),
			kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()), kgo.HeartbeatInterval(500 * time.Millisecond),
			kgo.FetchMaxWait(500 * time.Millisecond), kgo.OnPartitionsAssigned(m.change(topic, true)),
			kgo.OnPartitionsRevoked(m.change(topic, false)), kgo.OnPartitionsLost(m.change(topic, false))}, options...)
		var err error
		if m.client, err = kgo.NewClient(all...); err != nil {
			return nil, err
		}
		go m.read(saw)
		return m, nil
	}
}

func (m *member) read(saw func(goflow.Record)) {
	defer close(m.done)
	for {
		fetches := m.client.PollFetches(context.Background())
		if fetches.IsClientClosed() {
			return
		}
		for _, fault := range fetches.Errors() {
			if !errors.Is(fault.Err, context.Canceled) {
				goflow.Check(fault.Err)
			}
		}
		fetches.EachRecord(func(r *kgo.Record) { saw(goflow.Record{Partition: r.Partition, Value: string(r.Value)}) })
	}
}

func transaction(client *kgo.Client, end kgo.TransactionEndTry, records []*kgo.Record) {
	background := context.Background()
	goflow.Check(client.BeginTransaction())
	goflow.Check(client.ProduceSync(background, records...).FirstErr())
	goflow.Check(client.EndTransaction(background, end))
}

func transactions(topic string) {
	client, err := producer(kgo.TransactionalID("franz-go"))
	goflow.Check(err)
	defer client.Close()
	witness := &goflow.Witness{}
	aborted := (&goflow.Witness{}).Make(1)
	for i := range aborted {
		aborted[i].Value = "never to be read"
	}
	transaction(client, kgo.TryAbort, rows(topic, aborted))
	transaction(client, kgo.TryCommit, rows(topic, witness.Make(goflow.Wave)))
	reader, err := join(kgo.FetchIsolationLevel(kgo.ReadCommitted()))(topic, "committed", witness.Saw)
	goflow.Check(err)
	goflow.Check(witness.Until(witness.HasAll, "the committed records", reader))
	goflow.Check(reader.Close())
	fmt.Printf("transactions: %d records committed, %d aborted\n", witness.Total(), len(aborted))
}

func main() {
	if len(os.Args) > 2 { // the short flow, on topics of this prefix
		goflow.GroupOfOne(os.Args[2]+"-classic", goflow.Client{Produce: produce, Join: join()})
		goflow.GroupOfOne(os.Args[2]+"-consumer", goflow.Client{Produce: produce, Join: join(kgo.ServerSideBalancer())})
		transactions(os.Args[2] + "-transactions")
		return
	}
	goflow.Group("classic", "classic", "snappy", goflow.Client{Produce: produce, Join: join()})
	goflow.Group("KIP-848", "consumer", "zstd", goflow.Client{Produce: produce, Join: join(kgo.ServerSideBalancer())})
	transactions("transactions")
}
