#!/bin/bash
# Enter a container image on this node: bash enter_image.sh /path/to/image.sqsh
# Stands where pyxis would, which this cluster has not: it looks at the file the way enroot does,
# fails with enroot's words, and runs nothing inside.
set -euo pipefail
image=$1

# The words of enroot's log, one line for each argument.
refuse() {
  local line
  {
    echo "slurmstepd: error: pyxis: child $$ failed with error code: 1"
    echo "slurmstepd: error: pyxis: failed to create container filesystem for image: $image"
    echo "slurmstepd: error: pyxis: printing enroot log file:"
    for line in "$@"; do echo "slurmstepd: error: pyxis:     $line"; done
    echo "slurmstepd: error: pyxis: couldn't start container"
    echo "slurmstepd: error: spank: required plugin spank_pyxis.so: task_init() failed with rc=-1"
    echo "slurmstepd: error: Failed to invoke spank plugin stack"
  } >&2
  exit 1
}

[[ -f $image ]] || refuse "[ERROR] No such file or directory: $image"
# A squashfs begins with its name, and its length stands at byte 40.
[[ $(head -c 4 "$image" | tr -d '\0') == hsqs ]] ||
  refuse "FATAL ERROR: Can't find a SQUASHFS superblock on $image"
length=$(od -An -t u8 -j 40 -N 8 "$image" | tr -d ' ')
(($(stat -L -c %s "$image") >= ${length:-1})) ||
  refuse "Read on filesystem failed because EOF" "FATAL ERROR: Failed to read file system tables"
