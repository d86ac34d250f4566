#!/usr/bin/env bash
# Makes nets as those of the agent `baseline`, some eleven hours of one core, and records their scores in
# docs/research/results.json. Interrupted, the same command finishes the work.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/learning.sh
python=.venv-learning/bin/python
taught=runs/baseline-taught
one_layer=runs/baseline-one-layer

teach() {
  "$python" python/examples/gumbel.py --attacks --teacher expectimax:depth=1,epsilon=0.1 --search sims=32,root=gumbel \
    --game "$@"
}
# go_on GAME FROM TO OPTION...: from a net in a folder, mostly against searches.
go_on() {
  "$python" python/examples/ppo.py --opponent-share 0.75 --learning-rate 3e-4 --entropy 0.005 --final-entropy 0.001 \
    --evaluations 4 --game "$1" --start "$2/$1/policy.pt" --out "$3/$1" "${@:4}"
}
teacher=(--opponents expectimax:depth=1 --total-plies 6000000 --lam 0.7)
two_layers=(--opponents expectimax:depth=1 expectimax:depth=2,net=none --lanes 512 --minibatch 4096 --games 200)

teach banqi --teacher-games 20000 --games 1000 --generations 3 --width 256 --batch 512 --out "$one_layer/banqi"
go_on banqi "$one_layer" runs/baseline "${two_layers[@]}" --total-plies 12800000 --lam 0.8 --final-entropy 0.0003
teach flipping --teacher-games 120000 --games 4000 --generations 4 --width 256 --batch 512 --out runs/baseline/flipping
teach gaiqi --teacher-games 40000 --generations 1 --width 256 --batch 512 --out "$taught/gaiqi"
go_on gaiqi "$taught" runs/baseline "${teacher[@]}" --lanes 1024 --minibatch 8192 --games 800
declare -A plies=([jieqi]=6000000 [mystery]=2600000)
for game in jieqi mystery; do
  teach "$game" --teacher-games 40000 --generations 1 --width 192 --batch 2048 --learning-rate 2e-3 --out "$taught/$game"
  go_on "$game" "$taught" "$one_layer" "${teacher[@]}" --lanes 512 --minibatch 4096 --games 100
  go_on "$game" "$one_layer" runs/baseline "${two_layers[@]}" --total-plies "${plies[$game]}" --lam 0.7
done
"$python" python/examples/baseline.py runs/baseline/*/policy.pt --out runs/baseline

# record STUDY FOLDER [COLUMN=CELL...]
record() {
  "$python" python/docs/record.py "$1" --table scores "${@:3}" -- cat "$2/scores.csv"
}
record past-teacher runs/baseline/flipping game=flipping seed=1
record past-teacher-banqi "$one_layer/banqi" game=banqi seed=1
record ppo-taught-gaiqi runs/baseline/gaiqi seed=1
for game in jieqi mystery; do
  record ppo-taught "$taught/$game" "game=$game" net=taught
  record ppo-taught "$one_layer/$game" "game=$game" "net=after PPO"
done
"$python" python/docs/figures.py
