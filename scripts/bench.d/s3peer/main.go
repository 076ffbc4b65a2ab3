// s3peer loads a gateway with minio-go, the client with which warp loads, and prints what a request took of the processor.
//
//	s3peer HOST:PORT put|get BYTES DEPTH SECONDS
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const bucket = "s3peer"

func main() {
	numbers := make([]int, 0, 3)
	for _, word := range os.Args[3:] {
		number, err := strconv.Atoi(word)
		if err != nil {
			log.Fatal(err)
		}
		numbers = append(numbers, number)
	}
	size, depth, seconds := numbers[0], numbers[1], numbers[2]
	keys := credentials.NewStaticV4("key", "secret", "")
	options := &minio.Options{Creds: keys, Region: "us-east-1", BucketLookup: minio.BucketLookupPath}
	client, err := minio.New(os.Args[1], options)
	if err != nil {
		log.Fatal(err)
	}
	load := load{client, os.Args[2] == "put", content(size)}
	var done atomic.Int64
	var all sync.WaitGroup
	begun, until := processor(), time.Now().Add(time.Duration(seconds)*time.Second)
	for worker := range depth {
		all.Go(func() {
			name := fmt.Sprintf("o%d", worker)
			load.put(name)
			for time.Now().Before(until) {
				load.one(name)
				done.Add(1)
			}
		})
	}
	all.Wait()
	took := (processor() - begun) / float64(done.Load())
	_ = json.NewEncoder(os.Stdout).Encode(map[string]float64{"cpu_us": took * 1e6, "operations": float64(done.Load())})
}

type load struct {
	client *minio.Client
	puts   bool
	data   []byte
}

func content(size int) []byte {
	data := make([]byte, size)
	rand.New(rand.NewSource(1)).Read(data)
	return data
}

func (l load) one(name string) {
	if l.puts {
		l.put(name)
		return
	}
	object, err := l.client.GetObject(context.Background(), bucket, name, minio.GetObjectOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer object.Close()
	// What was put in signed chunks is kept with their heads, by a server that knows no chunks.
	if got, err := io.Copy(io.Discard, object); err != nil || got < int64(len(l.data)) {
		log.Fatal(got, err)
	}
}

// The signature does not cover the body, as ours does not.
func (l load) put(name string) {
	options := minio.PutObjectOptions{DisableContentSha256: true}
	reader := bytes.NewReader(l.data)
	if _, err := l.client.PutObject(context.Background(), bucket, name, reader, int64(len(l.data)), options); err != nil {
		log.Fatal(err)
	}
}

// Seconds of all threads, in user and in system.
func processor() float64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	seconds := func(time syscall.Timeval) float64 { return float64(time.Sec) + float64(time.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}
