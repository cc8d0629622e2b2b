// SPDX-License-Identifier: Apache-2.0
//! krafka: both group protocols, and a transaction that is aborted and one that commits.
use std::cell::RefCell;
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use krafka::consumer::{AutoOffsetReset, Consumer, GroupProtocol, IsolationLevel};
use krafka::{Compression, ConsumerRecord, Kafka, Record};

const PARTITIONS: usize = 6;
const WAVE: usize = 100; // records per partition
const PATIENCE: Duration = Duration::from_secs(60);

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Sees each record once, and a partition's records in order.
#[derive(Default)]
struct Witness {
    produced: [usize; PARTITIONS],
    seen: [usize; PARTITIONS],
}

fn text(partition: usize, number: usize) -> String {
    format!("{:x<100}", format!("{partition}:{number}:"))
}

impl Witness {
    fn wave(&mut self, topic: &str, count: usize) -> Vec<Record> {
        let mut records = Vec::new();
        for _ in 0..count {
            for partition in 0..PARTITIONS {
                let value = text(partition, self.produced[partition]);
                records.push(Record::new(topic, value).partition(partition as i32));
                self.produced[partition] += 1;
            }
        }
        records
    }

    fn has_all(&self) -> bool {
        self.seen == self.produced
    }

    fn saw(&mut self, record: &ConsumerRecord) -> Outcome<()> {
        let partition = record.partition as usize;
        let expected = text(partition, self.seen[partition]);
        if record.value.as_deref() != Some(expected.as_bytes()) {
            return Err(format!("expected {expected}, got {:?}", record.value).into());
        }
        self.seen[partition] += 1;
        Ok(())
    }

    fn total(&self) -> usize {
        self.seen.iter().sum()
    }
}

/// Until when the members are polled.
#[derive(Clone, Copy, Debug)]
enum Goal {
    Shared,
    All,
}

/// A member that joins holds up its own poll until the others have joined again, so each has a loop
/// of its own. Returns how many records each of them read.
async fn read(
    witness: &RefCell<Witness>,
    members: &[&Consumer],
    goal: Goal,
) -> Outcome<Vec<usize>> {
    let loops = members.iter().map(|member| async {
        let mut count = 0;
        loop {
            let done = match goal {
                Goal::Shared => shared(members).await,
                Goal::All => witness.borrow().has_all(),
            };
            if done {
                return Outcome::Ok(count);
            }
            for record in member.poll(Duration::from_millis(100)).await? {
                witness.borrow_mut().saw(&record)?;
                count += 1;
            }
        }
    });
    match tokio::time::timeout(PATIENCE, try_join_all(loops)).await {
        Ok(counts) => counts,
        Err(_) => Err(format!("not in time: {goal:?}; seen {:?}", witness.borrow().seen).into()),
    }
}

async fn shared(members: &[&Consumer]) -> bool {
    let mut all: Vec<i32> = Vec::new();
    for member in members {
        let share = member
            .assignment()
            .await
            .into_values()
            .flatten()
            .collect::<Vec<_>>();
        if share.is_empty() {
            return false;
        }
        all.extend(share);
    }
    all.sort();
    all == [0, 1, 2, 3, 4, 5]
}

async fn produce(bootstrap: &str, codec: Compression, records: Vec<Record>) -> Outcome<()> {
    let kafka = Kafka::builder(bootstrap).connect().await?;
    let linger = Duration::from_millis(5);
    let producer = kafka
        .producer()
        .compression(codec)
        .linger(linger)
        .build()
        .await?;
    let mut acks = Vec::new();
    for record in records {
        acks.push(producer.enqueue(record).await?);
    }
    try_join_all(acks).await?;
    Ok(producer.close().await?)
}

/// Connections belong to the `Kafka`: if members shared one, the JoinGroup of one, which waits, would
/// hold up the heartbeats of the other.
async fn join(
    bootstrap: &str,
    topic: &str,
    group: &str,
    protocol: GroupProtocol,
    isolation: IsolationLevel,
) -> Outcome<Consumer> {
    let kafka = Kafka::builder(bootstrap).connect().await?;
    let mut builder = kafka
        .consumer(group)
        .group_protocol(protocol)
        .isolation_level(isolation)
        .auto_offset_reset(AutoOffsetReset::Earliest)
        .enable_auto_commit(false);
    if protocol == GroupProtocol::Classic {
        builder = builder.heartbeat_interval(Duration::from_millis(500));
    }
    let consumer = builder.build().await?;
    consumer.subscribe([topic]).await?;
    Ok(consumer)
}

async fn group(
    bootstrap: &str,
    topic: &str,
    protocol: GroupProtocol,
    codec: Compression,
) -> Outcome<()> {
    let started = Instant::now();
    let name = format!("{topic}-group");
    let member = || {
        join(
            bootstrap,
            topic,
            &name,
            protocol,
            IsolationLevel::ReadUncommitted,
        )
    };
    let witness = RefCell::new(Witness::default());
    let wave = |count| witness.borrow_mut().wave(topic, count);
    produce(bootstrap, codec, wave(WAVE)).await?;
    let first = member().await?;
    read(&witness, &[&first], Goal::All).await?;
    first.commit().await?;
    let second = member().await?;
    let both = [&first, &second];
    read(&witness, &both, Goal::Shared).await?;
    produce(bootstrap, codec, wave(WAVE)).await?;
    let counts = read(&witness, &both, Goal::All).await?;
    if counts.contains(&0) {
        return Err(format!("one member read nothing: {counts:?}").into());
    }
    for member in both {
        member.commit().await?;
        member.close().await?;
    }
    produce(bootstrap, codec, wave(1)).await?;
    let third = member().await?;
    read(&witness, &[&third], Goal::All).await?;
    third.close().await?;
    println!(
        "{protocol:?}, {codec:?}: {} records, rebalanced {}+{}, {:.1} s",
        witness.borrow().total(),
        counts[0],
        counts[1],
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

async fn transactions(bootstrap: &str, topic: &str) -> Outcome<()> {
    let witness = RefCell::new(Witness::default());
    let kafka = Kafka::builder(bootstrap).connect().await?;
    let producer = kafka.producer().build_transactional("krafka").await?;
    producer.begin()?;
    for partition in 0..PARTITIONS {
        let undone = Record::new(topic, "never to be read").partition(partition as i32);
        producer.send(undone).await?;
    }
    producer.abort().await?;
    producer.begin()?;
    let records = witness.borrow_mut().wave(topic, WAVE);
    for record in records {
        producer.enqueue(record).await?;
    }
    producer.commit().await?;
    producer.close().await?;
    let protocol = GroupProtocol::Classic;
    let reader = join(
        bootstrap,
        topic,
        "committed",
        protocol,
        IsolationLevel::ReadCommitted,
    )
    .await?;
    read(&witness, &[&reader], Goal::All).await?;
    reader.close().await?;
    println!(
        "transactions: {} records committed, {PARTITIONS} aborted",
        witness.borrow().total()
    );
    Ok(())
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let bootstrap = std::env::args().nth(1).ok_or("usage: program BOOTSTRAP")?;
    group(
        &bootstrap,
        "classic",
        GroupProtocol::Classic,
        Compression::Lz4,
    )
    .await?;
    group(
        &bootstrap,
        "consumer",
        GroupProtocol::Consumer,
        Compression::Zstd,
    )
    .await?;
    transactions(&bootstrap, "transactions").await
}
