# Pairs one single-sided round with Cobra's own classes, without its site: cobra.rb FOLDER FILE.
require 'json'
require 'graph_matching'

class Module
  def delegate(*, **) = nil # of its framework; not used here
end

services = File.join(ARGV[0], 'app/services')
require File.join(services, 'swiss_implementation')
%w[base plain_player plain_pairing single_sided_swiss].each do |name|
  require File.join(services, 'pairing_strategies', name)
end

players = JSON.parse(File.read(ARGV[1])).map do |given|
  player = PairingStrategies::PlainPlayer.new(given['id'], given['id'].to_s, true, false,
                                              points: given['points'], opponents: {},
                                              had_bye: given['had_bye'])
  given['games'].each do |opponent, side|
    player.add_opponent(opponent, side)
    player.side_bias += side == 'corp' ? 1 : -1
  end
  player
end
puts PairingStrategies::SingleSidedSwiss.calculate_pairings(players).size
