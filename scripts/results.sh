#!/usr/bin/env bash
# Plays and measures what docs/research/results.md says of strength and of rules, and records it in
# docs/research/results.json. It takes hours. Interrupted, the same command finishes the work.
set -euo pipefail
cd "$(dirname "$0")/.."
make build
darkqi=target/release/darkqi
search=expectimax:depth=1,net=none
record() { python3 python/docs/record.py "$@"; }

# strength GAME AGENTS GAMES [OPTIONS]: the table, and the test that all agents score alike.
strength() {
  local study=("$darkqi" strength "$1" --agents "$2" --games "$3" --match-games 200 --seed 1
    --out "data/results/$1" --json --quiet "${@:4}")
  record strength --table strength "game=$1" -- "${study[@]}"
  record "equality-$1" p=equality.score.p_value -- "${study[@]}"
}
# first GAME AGENT GAMES [OPTIONS]: the first reveal in more games.
first() {
  local out="data/results/first/$1-${2//[:,=]/-}"
  record first-reveal --table first-reveal -- \
    "$darkqi" selfplay "$1" --agents "$2" --games "$3" --seed 1 --resume --out "$out" --quiet "${@:4}" -- \
    "$darkqi" first-reveal "$out" --json
}
# sweep STUDY GAME GAMES SEED OPTIONS: rules on common deals.
sweep() {
  record "$1" --table sweep -- "$darkqi" sweep "$2" --agents expectimax:depth=1 --games "$3" --seed "$4" \
    --out "data/results/$1" --json --quiet "${@:5}"
}

strength flipping "greedy,$search,expectimax:depth=2,expectimax:depth=4" 8000 --random-plies 6
strength gaiqi "greedy,$search,expectimax:depth=2,net=none,expectimax:depth=2" 8000
strength seven_kingdoms greedy,expectimax:depth=1,expectimax:depth=2 1200 --random-plies 14
for game in mystery banqi jieqi; do
  strength "$game" "greedy,$search,expectimax:depth=2,expectimax:depth=3" 9000
done
for game in banqi gaiqi jieqi mystery; do
  first "$game" random 40000
  first "$game" greedy 40000
  first "$game" "$search" 10000
done
sweep captured jieqi 12000 2 --vary captured=captor,public
sweep handicaps jieqi 1000 1 --vary remove=each
sweep nearest jieqi 12000 2 --vary remove=none,A,E
sweep imbalance jieqi 4000 1 --vary remove=none,R+h+c,R+c+c,R+h+h,H+c
python3 python/docs/figures.py
