# Lists container images in folders. $1: mark; then the folders. Each: size, time, bytes used as the
# superblock says (`-` for what is no squashfs), path.

sb_mark=$1
shift
for sb_folder; do
  [ -d "$sb_folder" ] || continue
  find -L "$sb_folder" -maxdepth 1 -type f \( -name '*.sqsh' -o -name '*.squashfs' \
    -o -name '*.sqsh.part' -o -name '*.sqsh.part_.gstmp' -o -name '*.sqsh.build.part' \) 2>/dev/null
done | sort -u | head -n 100 | while IFS= read -r sb_file; do
  sb_used=-
  if [ "$(head -c 4 -- "$sb_file" 2>/dev/null | tr -d '\000')" = hsqs ]; then
    sb_used=$(od -An -tu8 -j40 -N8 -- "$sb_file" | tr -d ' ')
  fi
  printf '%s %s %s %s\n' "$sb_mark" "$(stat -L -c '%s %Y' -- "$sb_file")" "${sb_used:--}" "$sb_file"
done
