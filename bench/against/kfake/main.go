// SPDX-License-Identifier: Apache-2.0

// kfake as a process of its own: kfake BROKERS TOPIC PARTITIONS. Prints its bootstrap servers and
// serves until its input ends.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kfake"
)

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if strings.HasSuffix(module.Path, "/kfake") {
				return module.Version
			}
		}
	}
	return "unknown"
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: kfake BROKERS TOPIC PARTITIONS")
		os.Exit(2)
	}
	brokers, _ := strconv.Atoi(os.Args[1])
	partitions, _ := strconv.Atoi(os.Args[3])
	cluster, err := kfake.NewCluster(kfake.NumBrokers(brokers), kfake.SeedTopics(int32(partitions), os.Args[2]))
	if err != nil {
		fmt.Fprintln(os.Stderr, "kfake:", err)
		os.Exit(1)
	}
	defer cluster.Close()
	fmt.Println(version(), strings.Join(cluster.ListenAddrs(), ","))
	io.Copy(io.Discard, os.Stdin)
}
