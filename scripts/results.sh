#!/usr/bin/env bash
# Plays and measures what docs/results.md says of strength and of rules. It takes hours, and goes on
# where it stopped.
set -euo pipefail
cd "$(dirname "$0")/.."
make build
darkqi=target/release/darkqi

# Agents of rising strength.
ladder=greedy,expectimax:depth=1,net=none,expectimax:depth=2,net=none,expectimax:depth=2
longer=greedy,expectimax:depth=1,net=none,expectimax:depth=2,expectimax:depth=3
deep=greedy,expectimax:depth=1,net=none,expectimax:depth=2,expectimax:depth=4
flipping=greedy,expectimax:depth=1,net=none,expectimax:depth=2,expectimax:depth=4
kingdoms=greedy,expectimax:depth=1,expectimax:depth=2

# strength GAME AGENTS GAMES FOLDER [OPTIONS]
strength() {
  "$darkqi" strength "$1" --agents "$2" --games "$3" --match-games 200 --seed 1 --out "data/results/$4" "${@:5}"
}
# sweep GAME GAMES OPTIONS
sweep() {
  "$darkqi" sweep "$1" --agents expectimax:depth=1 --games "$2" --match-games 200 --seed 1 \
    --out "data/results/$1-rules" "${@:3}"
}

strength flipping "$flipping" 8000 flipping --random-plies 6
strength gaiqi "$ladder" 8000 gaiqi
strength gaiqi "$deep" 3000 gaiqi-deep
strength seven_kingdoms "$kingdoms" 1200 seven_kingdoms --random-plies 14
strength mystery "$longer" 9000 mystery
strength banqi "$longer" 7000 banqi
strength jieqi "$longer" 9000 jieqi
sweep banqi 1000 --vary quiet_limit=20,40,60 --vary cannon=step,jump --vary ranking=standard,hongkong
sweep gaiqi 1000 --vary quiet_limit=20,40,60 --vary remove=none,R,C,P
sweep jieqi 300 --vary quiet_limit=40,80,120 --vary captured=captor,public --vary chase=off,on
