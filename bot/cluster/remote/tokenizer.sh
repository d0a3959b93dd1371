# Puts files into CACHE/torch/megatron, each fetched beside its place and renamed into it.
# $1: cache; $2: base URL or folder; $3: roots, one a line; then pairs of names: there, here.

sb_end() {
  printf '%s\n' "$@"
  exit 0
}

sb_fetch() { # $1: file at the source, $2: where to
  case $2 in *.part) ;; *) return 2 ;; esac
  case $1 in
    http://* | https://*) ;;
    *)
      cp -- "$1" "$2"
      return
      ;;
  esac
  if command -v curl >/dev/null; then
    curl -fsSL --proto '=http,https' --connect-timeout 20 --max-time 120 -o "$2" -- "$1"
  elif command -v wget >/dev/null; then
    wget -nv -T 60 -t 2 -O "$2" -- "$1"
  elif command -v python3 >/dev/null; then
    python3 -c 'import shutil, sys, urllib.request
with urllib.request.urlopen(sys.argv[1], timeout=60) as a, open(sys.argv[2], "wb") as b:
    shutil.copyfileobj(a, b)' "$1" "$2"
  else
    sb_end tool
  fi
}

# A vocabulary is a whole JSON object, merges are lines; an error page is neither.
sb_good() { # $1: file, $2: its name at the source
  [ -s "$1" ] || return 1
  case $2$(head -c 1 "$1")$(tail -c 2 "$1") in
    *.json'{'*'}') return 0 ;;
    *.json* | *.txt'<'*) return 1 ;;
  esac
}

sb_cache=$(readlink -m -- "$1")
sb_in=
while IFS= read -r sb_root; do
  sb_root=$(readlink -m -- "$sb_root")
  case $sb_cache/ in "${sb_root%/}"/*) sb_in=1 ;; esac
done <<ROOTS
$3
ROOTS
[ -n "$sb_in" ] || sb_end outside "$sb_cache"
sb_folder=$sb_cache/torch/megatron sb_source=$2 sb_fetched=0 sb_sizes=
mkdir -p -- "$sb_folder" && [ -w "$sb_folder" ] || sb_end folder "$sb_folder"
shift 3
while [ $# -gt 1 ]; do
  if ! sb_good "$sb_folder/$2" "$1"; then
    sb_part=$sb_folder/.$2.$$.part
    sb_fetch "$sb_source/$1" "$sb_part" || {
      rm -f -- "$sb_part"
      sb_end source "$sb_source/$1"
    }
    sb_good "$sb_part" "$1" || {
      rm -f -- "$sb_part"
      sb_end content "$sb_source/$1"
    }
    mv -f -- "$sb_part" "$sb_folder/$2" || sb_end folder "$sb_folder"
    sb_fetched=$((sb_fetched + 1))
  fi
  sb_sizes="$sb_sizes
$(stat -L -c %s -- "$sb_folder/$2")"
  shift 2
done
sb_end ok "$sb_folder" "$sb_fetched$sb_sizes"
