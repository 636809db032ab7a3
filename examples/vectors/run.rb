# Run a program on the vectors: ruby run.rb 'dutch-*' COMMAND...
require "json"
require "open3"

NAMES = %w[best without legal wrong].freeze

# Matches in order; without sides each match in order too.
def ordered(pairing, sides)
  pairing.map { |p| sides || p[1].nil? ? p : p.sort }.sort_by(&:to_s)
end

def verdict(vector, answer)
  return "wrong" unless answer.is_a?(Array)

  sides = vector["facts"]["sides"]
  known = vector.merge("best" => vector["best"].empty? ? [[]] : vector["best"])
  NAMES.find { |n| (known[n] || []).any? { |p| ordered(p, sides) == ordered(answer, sides) } } || "wrong"
end

start, *command = ARGV
files = Dir[File.join(__dir__, "#{start}.json")].reject { |f| f.end_with?("schema.json") }.sort
groups = files.map { |f| JSON.parse(File.read(f, encoding: "UTF-8")) }
vectors = groups.flat_map { |g| g["vectors"] }
asked = vectors.map { |v| JSON.generate(id: v["id"], facts: v["facts"]) + "\n" }.join
out, = Open3.capture2(*command, stdin_data: asked)
lines = out.lines
passed = true
groups.each do |group|
  found = NAMES.to_h { |n| [n, 0] }
  group["vectors"].each { |v| found[verdict(v, JSON.parse(lines.shift || "null"))] += 1 }
  passed &&= found["best"] == group["vectors"].size
  puts "#{group['group']} #{NAMES.map { |n| "#{n} #{found[n]}" }.join(' ')}"
end
exit passed
