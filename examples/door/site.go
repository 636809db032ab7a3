// A tournament site in Go that has its next round paired: go run site.go http://127.0.0.1:8440/pair
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

type Player struct {
	Player int    `json:"player"`
	Name   string `json:"name"`
	Active bool   `json:"active"`
}

type Match struct {
	Player1 int    `json:"player1"`
	Player2 *int   `json:"player2"`
	Side1   string `json:"side1,omitempty"`
	Score1  int    `json:"score1"`
	Score2  *int   `json:"score2"`
	Status  string `json:"status,omitempty"`
}

type Request struct {
	Version int       `json:"version"`
	Players []Player  `json:"players"`
	Rounds  [][]Match `json:"rounds"`
	Also    []string  `json:"also"`
}

type Answer struct {
	Pairings []struct{ Table, Player2, Name2 any; Name1 string }
	Matches  []struct{ Sentence string }
	Errors   []struct{ Kind, Text, Where string }
}

func played(one, two, score1, score2 int) Match {
	return Match{Player1: one, Player2: &two, Side1: "corp", Score1: score1, Score2: &score2}
}

func main() {
	asked, _ := json.Marshal(Request{1,
		[]Player{{17, "Ann", true}, {4, "Bob", true}, {23, "Cem", true}, {8, "Dag", false}, {31, "Eva", true}},
		[][]Match{{played(17, 4, 3, 0), played(23, 8, 1, 1), {Player1: 31, Score1: 3, Status: "bye"}}},
		[]string{"reasons"}})
	answer, err := http.Post(os.Args[1], "application/json", bytes.NewReader(asked))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var told Answer
	json.NewDecoder(answer.Body).Decode(&told)
	for _, e := range told.Errors {
		fmt.Fprintf(os.Stderr, "%s: %s (%s)\n", e.Where, e.Text, e.Kind)
		os.Exit(3)
	}
	for k, match := range told.Pairings {
		if match.Table == nil {
			match.Table, match.Name2 = "-", "bye"
		}
		fmt.Printf("%v %s - %v: %s\n", match.Table, match.Name1, match.Name2, told.Matches[k].Sentence)
	}
}
