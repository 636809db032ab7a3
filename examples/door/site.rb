# A tournament site in Ruby that has its next round paired: ruby site.rb http://127.0.0.1:8440/pair
require "json"
require "net/http"

# As a site's own tables may have them.
PLAYERS = [
  { id: 17, name: "Ann", rating: 1810 }, { id: 4, name: "Bob", rating: 1650 },
  { id: 23, name: "Cem", rating: 1905 }, { id: 8, name: "Dag", dropped: true },
  { id: 31, name: "Eva" }
].freeze
MATCHES = [
  { round: 1, corp: 17, runner: 4, score: [3, 0] }, { round: 1, corp: 23, runner: 8, score: [1, 1] },
  { round: 1, bye: 31 }
].freeze

def row(match)
  return { player1: match[:bye], score1: 3, status: "bye" } if match[:bye]

  { player1: match[:corp], player2: match[:runner], side1: "corp",
    score1: match[:score][0], score2: match[:score][1] }
end

players = PLAYERS.map do |p|
  { player: p[:id], name: p[:name], rating: p[:rating], active: !p[:dropped] }
end
rounds = MATCHES.group_by { |m| m[:round] }.sort.map { |_, matches| matches.map { |m| row(m) } }
request = { version: 1, players:, rounds:, model: "standard", also: ["reasons"] }

answer = Net::HTTP.post(URI(ARGV.fetch(0)), JSON.generate(request))
told = JSON.parse(answer.body)
if told["errors"]
  told["errors"].each { |e| warn "#{e['where']}: #{e['text']} (#{e['kind']})" }
  exit 3
end
told["pairings"].zip(told["matches"] || []).each do |match, reason|
  puts "#{match['table'] || '-'} #{match['name1']} - #{match['name2'] || 'bye'}: #{reason['sentence']}"
end
told["conflicts"].each { |c| puts c["text"] }
