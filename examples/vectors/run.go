// Run a program on the vectors: go run run.go 'dutch-*' COMMAND... (from this folder)
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
)

type pairing [][]*string
type facts struct{ Sides []string }
type vector struct {
	Best, Without, Legal []pairing
	Facts                json.RawMessage
	Id                   string
}
type group struct {
	Group   string
	Vectors []vector
}

// Matches in order; without sides each match in order too.
func ordered(given pairing, sides bool) string {
	said := []string{}
	for _, pair := range given {
		names := []string{*pair[0]}
		if pair[1] != nil {
			names = append(names, *pair[1])
		}
		if !sides {
			sort.Strings(names)
		}
		said = append(said, strings.Join(names, "\x00"))
	}
	sort.Strings(said)
	return strings.Join(said, "\x01")
}

func verdict(v vector, answer pairing) string {
	var known facts
	json.Unmarshal(v.Facts, &known)
	if len(v.Best) == 0 {
		v.Best = []pairing{{}}
	}
	lists := [][]pairing{v.Best, v.Without, v.Legal}
	for at, name := range []string{"best", "without", "legal"} {
		for _, each := range lists[at] {
			if answer != nil && ordered(each, known.Sides != nil) == ordered(answer, known.Sides != nil) {
				return name
			}
		}
	}
	return "wrong"
}

func main() {
	files, _ := filepath.Glob(os.Args[1] + ".json")
	var asked bytes.Buffer
	groups := []group{}
	for _, file := range files {
		text, _ := os.ReadFile(file)
		var read group
		json.Unmarshal(text, &read)
		groups = append(groups, read)
		for _, v := range read.Vectors {
			line, _ := json.Marshal(map[string]any{"id": v.Id, "facts": v.Facts})
			asked.Write(append(line, '\n'))
		}
	}
	command := exec.Command(os.Args[2], os.Args[3:]...)
	command.Stdin, command.Stderr = &asked, os.Stderr
	out, _ := command.Output()
	lines, at, passed := strings.Split(string(out), "\n"), 0, true
	for _, each := range groups {
		found := map[string]int{}
		for _, v := range each.Vectors {
			var answer pairing
			if at < len(lines) {
				json.Unmarshal([]byte(lines[at]), &answer)
			}
			found[verdict(v, answer)]++
			at++
		}
		passed = passed && found["best"] == len(each.Vectors)
		if each.Group != "" {
			fmt.Println(each.Group, "best", found["best"], "without", found["without"], "legal", found["legal"], "wrong", found["wrong"])
		}
	}
	if !passed {
		os.Exit(1)
	}
}
