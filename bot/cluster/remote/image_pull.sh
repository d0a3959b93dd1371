# Copies a container image beside its place, checks it, and renames it into it. $1: its gs:// URL,
# or empty; $2: the same file below a mount, or empty; $3: its place; $4: roots, one a line.

sb_url=$1 sb_mounted=$2 sb_to=$3 sb_part=$3.part
export CLOUDSDK_CORE_DISABLE_PROMPTS=1

sb_undo() { rm -f -- "$sb_part" "${sb_part}_.gstmp"; }

# Sets sb_lacks to why $1 is not a whole squashfs file; empty when it is one.
sb_look() {
  sb_lacks=squashfs
  [ "$(head -c 4 -- "$1" | tr -d '\000')" = hsqs ] || return 0
  # The superblock says how many bytes belong to it.
  sb_used=$(od -An -tu8 -j40 -N8 -- "$1" | tr -d ' ')
  sb_lacks=
  [ "$(stat -L -c %s -- "$1")" -ge "${sb_used:-0}" ] || sb_lacks=truncated
}

step source
case $sb_to in *.sqsh) ;; *) fail name "$sb_to" ;; esac
below "$sb_to" "$4" || fail outside "$sb_to"
sb_from= sb_size=
if [ -n "$sb_mounted" ] && [ -f "$sb_mounted" ] && [ -r "$sb_mounted" ]; then
  sb_from=$sb_mounted
  sb_size=$(stat -L -c %s -- "$sb_mounted") || fail read "$sb_mounted"
elif [ -n "$sb_url" ]; then
  command -v gcloud >/dev/null || fail gcloud "$sb_url"
  sb_from=$sb_url
  sb_listed=$(gcloud storage ls -l "$sb_url") || fail ask "$sb_url"
  sb_size=$(printf '%s\n' "$sb_listed" | sed -n 's/^ *\([0-9][0-9]*\) .*gs:.*/\1/p' | head -n 1)
  [ -n "$sb_size" ] || fail nothing "$sb_url"
else
  [ -e "$sb_mounted" ] && fail read "$sb_mounted"
  fail nothing "$sb_mounted"
fi
fact source "$sb_from"
fact size "$sb_size"
fact path "$sb_to"
ok "$sb_from"

step present
if [ -d "$sb_to" ]; then fail folder "$sb_to"; fi
if [ -f "$sb_to" ]; then
  sb_had=$(stat -L -c %s -- "$sb_to")
  sb_look "$sb_to"
  if [ -z "$sb_lacks" ] && [ "$sb_had" = "$sb_size" ]; then
    sb_undo # what an earlier, cut off copy left
    there "$sb_to"
    sb_finish 0
  fi
  ok "${sb_lacks:-other} $sb_had"
elif [ -e "$sb_part" ]; then
  ok "part $(stat -L -c %s -- "$sb_part")"
else
  ok none
fi

step room
sb_folder=${sb_to%/*}
sb_said=$(mkdir -p -- "$sb_folder" 2>&1) || fail closed "$sb_folder" "$sb_said"
[ -w "$sb_folder" ] || fail closed "$sb_folder"
sb_undo
set -- $(df -Pk -- "$sb_folder" | tail -n 1)
sb_free=$(($4 * 1024))
[ "$sb_free" -gt "$sb_size" ] || fail room "$sb_free" "$sb_size"
ok "$sb_free"

step copy
grows "$sb_size" "$sb_part"
if [ "$sb_from" = "$sb_url" ]; then
  gcloud storage cp "$sb_url" "$sb_part"
else
  cp -- "$sb_from" "$sb_part"
fi || {
  # A full disk also swallows what would say so.
  set -- $(df -Pk -- "$sb_folder" | tail -n 1)
  [ "$4" -gt 1024 ] || fail full "$sb_folder"
  fail copy "$sb_from"
}
ok "$sb_size"

step check
sb_had=$(stat -L -c %s -- "$sb_part")
[ "$sb_had" = "$sb_size" ] || fail size "$sb_had" "$sb_size"
sb_look "$sb_part"
[ -z "$sb_lacks" ] || fail "$sb_lacks" "$sb_from"
ok "$sb_size"

step place
sync -- "$sb_part" 2>/dev/null
chmod u+rw,go+r -- "$sb_part"
mv -f -- "$sb_part" "$sb_to" || fail place "$sb_to"
ok "$sb_to"
sb_finish 0
