# Says who is logged in at Google Cloud, and which of the mounted objects, $1 and on, can be read.

sb_account() {
  command -v gcloud >/dev/null || { echo 'gcloud: not found'; return 127; }
  # It warns of an empty list, which is no account.
  {
    sb_warned=$(
      sb_limited 20 gcloud auth list --filter=status:ACTIVE '--format=value(account)' \
        2>&1 >&3 3>&- </dev/null
    )
    sb_status=$?
  } 3>&1
  [ "$sb_status" -eq 0 ] || printf '%s\n' "$sb_warned"
  return "$sb_status"
}
sb_told account sb_account
sb_number=0
for sb_each; do
  sb_at_home "$sb_each"
  sb_told "object-$sb_number" sb_limited 15 test -r "$sb_path"
  sb_number=$((sb_number + 1))
done
sb_part end
