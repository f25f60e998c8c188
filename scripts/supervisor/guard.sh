# Stops the platform's processes if the supervisor dies before it does so (kill -9, out of memory): it reads
# which ones run from a pipe whose other end the supervisor holds, and acts when that pipe ends. It is a shell because
# it runs all the time, and a shell takes only 1 MB.
#
#   sh guard.sh <seconds>     how long the first stage has to end
#   + <stop stage> <pid>      this process runs
#   - <pid>                   it has ended
grace=$1
list=''
while read -r sign first second; do
  case $sign in
    +) list="$list $first:$second" ;;
    -)
      kept=''
      for entry in $list; do
        [ "${entry#*:}" = "$first" ] || kept="$kept $entry"
      done
      list=$kept
      ;;
  esac
done

is_alive() {
  kill -0 "$1" 2>/dev/null || return 1
  # A zombie counts as gone.
  case "$(cat "/proc/$1/stat" 2>/dev/null)" in *') Z '*) return 1 ;; esac
}

tenths=$((grace * 10))
for stage in 0 1 2 3 4 5 6 7 8 9; do
  members=''
  for entry in $list; do
    [ "${entry%%:*}" = "$stage" ] && members="$members ${entry#*:}"
  done
  [ -n "$members" ] || continue
  for pid in $members; do kill -TERM "$pid" 2>/dev/null; done
  while :; do
    left=''
    for pid in $members; do is_alive "$pid" && left="$left $pid"; done
    [ -n "$left" ] || break
    if [ "$tenths" -le 0 ]; then
      for pid in $left; do kill -KILL "-$pid" 2>/dev/null; done
      break
    fi
    tenths=$((tenths - 1))
    sleep 0.1
  done
  # Each further stage gets another half second.
  tenths=$((tenths + 5))
done
