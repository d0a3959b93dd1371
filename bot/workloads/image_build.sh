#!/bin/bash
# Makes a container image of a Docker image, with enroot. $1: the Docker image as enroot takes it;
# $2: the image, an absolute path; $3: the registry's host.
# What lies at $2 stays until the new image is whole. No secret is an argument of any program or
# printed: nothing is traced, and the registry's token lies in a file of ours until the job ends.
set +x -u
uri=$1 image=$2 host=$3
# Not the name under which a copy of an image lies while it is pulled.
part=$image.build.part
folder=${image%/*}
private=
importing=

say() { echo "image build: $*"; }
fail() {
  say "$*" >&2
  [ ! -e "$image" ] || say "$image is as it was" >&2
  exit 1
}
clean() {
  [ -z "$importing" ] || { kill "$importing" && wait "$importing"; } 2>/dev/null
  [ -z "$private" ] || rm -rf -- "$private"
  rm -f -- "$part"
}
trap clean EXIT
trap 'exit 143' TERM INT HUP

# Google's registries want the access token of whoever is logged in to gcloud.
log_in() {
  local place=${TMPDIR:-/tmp} token
  [ ! -w /dev/shm ] || place=/dev/shm # in memory: gone with the node, whatever happens
  private=$(mktemp -d "$place/image-build.XXXXXXXX") || fail "no private folder can be made in $place"
  if token=$(gcloud auth print-access-token 2>"$private/said") && [ -n "$token" ]; then
    (
      umask 077
      printf 'machine %s login oauth2accesstoken password %s\n' "$host" "$token" \
        >"$private/.credentials"
    ) || fail "the registry's token cannot be kept in $place"
    export ENROOT_CONFIG_PATH=$private
  else
    say "no access token from gcloud: $(head -n 1 "$private/said")" >&2
  fi
}

case $host in
gcr.io | *.gcr.io | *.pkg.dev) log_in ;;
esac

mkdir -p -- "$folder" || fail "$folder cannot be made"
rm -f -- "$part"
cores=${SLURM_CPUS_PER_TASK:-$(nproc)}
export ENROOT_MAX_PROCESSORS=$((cores > 1 ? cores / 2 : 1))
say "$uri becomes $image, on ${SLURMD_NODENAME:-$(hostname -s)} with $ENROOT_MAX_PROCESSORS processors"

enroot import -o "$part" "$uri" &
importing=$!
wait "$importing"
status=$?
importing=
if [ "$status" -ne 0 ]; then
  free=$(df -Pk -- "$folder" | awk 'NR == 2 { print int($4 / 1024) }')
  fail "enroot left with $status; $free MiB are free in $folder"
fi

# A squashfs begins with hsqs and says at byte 40 how long it is.
size=$(stat -c %s -- "$part") || fail "enroot made no file"
[ "$(head -c 4 -- "$part")" = hsqs ] || fail "what enroot made is not whole: it is no squashfs"
used=$(od -An -tu8 -j40 -N8 -- "$part")
[ "$((used))" -gt 0 ] && [ "$((used))" -le "$size" ] ||
  fail "what enroot made is not whole: $size of $((used)) bytes"
sync -- "$part" 2>/dev/null
mv -fT -- "$part" "$image" || fail "the new image cannot take its place"
say "whole, $size bytes, $image"
