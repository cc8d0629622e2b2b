// SPDX-License-Identifier: Apache-2.0

// Package goflow is what every program does, whatever its client: produce, consume in a group that
// rebalances, commit, close, and come back to nothing but what is new.
package goflow

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"sync"
	"time"
)

const (
	Partitions = 6
	Wave       = 100 // records per partition
	short      = 20  // of the short flow
	patience   = 60 * time.Second
)

// Brokers are the addresses that the program was given.
var Brokers = strings.Split(os.Args[1], ",")

type Record struct {
	Partition int32
	Value     string
}

// Member of a group, which reads on its own and tells a Witness what it read.
type Member interface {
	Assignment() []int32
	Commit() error // of all that was read
	Close() error
}

type Client struct {
	// Produce returns when all records are acknowledged.
	Produce func(topic, codec string, records []Record) error
	// Join starts a member; `saw` is to be called for each record.
	Join func(topic, group string, saw func(Record)) (Member, error)
}

// Witness sees each record once, and a partition's records in order.
type Witness struct {
	mutex          sync.Mutex
	produced, seen [Partitions]int
	fault          error
}

func text(partition int32, number int) string {
	head := fmt.Sprintf("%d:%d:", partition, number)
	return head + strings.Repeat("x", 100-len(head))
}

// Make returns the next `count` records of each partition.
func (w *Witness) Make(count int) (records []Record) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for ; count > 0; count-- {
		for p := range int32(Partitions) {
			records = append(records, Record{p, text(p, w.produced[p])})
			w.produced[p]++
		}
	}
	return records
}

func (w *Witness) Saw(record Record) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	expected := text(record.Partition, w.seen[record.Partition])
	if record.Value != expected && w.fault == nil {
		w.fault = fmt.Errorf("partition %d: expected %.20q, got %.20q", record.Partition, expected, record.Value)
	}
	w.seen[record.Partition]++
}

func (w *Witness) HasAll() bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.seen == w.produced
}

func (w *Witness) Total() (sum int) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, n := range w.seen {
		sum += n
	}
	return sum
}

// Until waits for `done`.
func (w *Witness) Until(done func() bool, what string, members ...Member) error {
	for deadline := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		w.mutex.Lock()
		fault, seen := w.fault, w.seen
		w.mutex.Unlock()
		if fault != nil {
			return fault
		}
		if time.Now().After(deadline) {
			shares := ""
			for _, member := range members {
				shares += fmt.Sprint(" ", member.Assignment())
			}
			return fmt.Errorf("not within %v: %s; seen %v, assigned%s", patience, what, seen, shares)
		}
	}
	return w.fault
}

func shared(members ...Member) bool {
	var all []int
	for _, member := range members {
		share := member.Assignment()
		if len(share) == 0 {
			return false
		}
		for _, partition := range share {
			all = append(all, int(partition))
		}
	}
	sort.Ints(all)
	return fmt.Sprint(all) == "[0 1 2 3 4 5]"
}

func group(topic, codec string, client Client) (*Witness, [2]int, error) {
	w := &Witness{}
	var counts [2]int
	join := func(index int) (Member, error) {
		return client.Join(topic, topic+"-group", func(record Record) {
			w.Saw(record)
			w.mutex.Lock()
			defer w.mutex.Unlock()
			counts[index%2]++
		})
	}
	if err := client.Produce(topic, codec, w.Make(Wave)); err != nil {
		return w, counts, err
	}
	first, err := join(0)
	if err != nil {
		return w, counts, err
	}
	if err := w.Until(w.HasAll, "the first wave", first); err != nil {
		return w, counts, err
	}
	if err := first.Commit(); err != nil {
		return w, counts, err
	}
	second, err := join(1)
	if err != nil {
		return w, counts, err
	}
	if err := w.Until(func() bool { return shared(first, second) }, "the second member's share", first, second); err != nil {
		return w, counts, err
	}
	if err := client.Produce(topic, codec, w.Make(Wave)); err != nil {
		return w, counts, err
	}
	if err := w.Until(w.HasAll, "the second wave", first, second); err != nil {
		return w, counts, err
	}
	counts[0] -= Wave * Partitions // of the first wave
	for _, member := range []Member{first, second} {
		if err := member.Commit(); err != nil {
			return w, counts, err
		}
	}
	rebalanced := counts
	for _, member := range []Member{first, second} {
		if err := member.Close(); err != nil {
			return w, rebalanced, err
		}
	}
	if rebalanced[0] == 0 || rebalanced[1] == 0 {
		return w, rebalanced, fmt.Errorf("both members read: %v", rebalanced)
	}
	if err := client.Produce(topic, codec, w.Make(1)); err != nil {
		return w, rebalanced, err
	}
	third, err := join(2)
	if err != nil {
		return w, rebalanced, err
	}
	if err := w.Until(w.HasAll, "the third wave", third); err != nil {
		return w, rebalanced, err
	}
	return w, rebalanced, third.Close()
}

func groupOfOne(topic string, client Client) (*Witness, error) {
	w := &Witness{}
	if err := client.Produce(topic, "none", w.Make(short)); err != nil {
		return w, err
	}
	member, err := client.Join(topic, topic+"-group", w.Saw)
	if err != nil {
		return w, err
	}
	if err := w.Until(w.HasAll, "the records", member); err != nil {
		return w, err
	}
	if err := member.Commit(); err != nil {
		return w, err
	}
	return w, member.Close()
}

// GroupOfOne is the short flow: one member reads it all, commits and closes.
func GroupOfOne(topic string, client Client) {
	w, err := groupOfOne(topic, client)
	Check(err)
	fmt.Printf("%s: %d records\n", topic, w.Total())
}

// Group runs it all and says what it showed.
func Group(name, topic, codec string, client Client) {
	started := time.Now()
	w, counts, err := group(topic, codec, client)
	Check(err)
	fmt.Printf("%s, %s: %d records, rebalanced %d+%d, %.1f s\n", name, codec, w.Total(), counts[0], counts[1],
		time.Since(started).Seconds())
}

// Check ends the program if there is an error.
func Check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
