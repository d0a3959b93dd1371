# Brings a git checkout to a commit without touching what is somebody's own work. Sets sb_why to the
# reason why it was left as it is, or stays empty; ends the errand when there is no checkout.

export GIT_TERMINAL_PROMPT=0
unset GIT_ASKPASS SSH_ASKPASS GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

# Git without what it would leave running in the background.
sb_git() { git -c gc.auto=0 -c maintenance.auto=false -c advice.detachedHead=false "$@"; }

# Sets sb_commit to what $2 (a branch, a tag, a commit) is in checkout $1; fails without it.
sb_resolve() {
  sb_branch=
  if sb_commit=$(git -C "$1" rev-parse -q --verify "refs/remotes/origin/$2^{commit}"); then
    sb_branch=$2
    return 0
  fi
  sb_commit=$(git -C "$1" rev-parse -q --verify "refs/tags/$2^{commit}") ||
    sb_commit=$(git -C "$1" rev-parse -q --verify "$2^{commit}")
}

sb_go() { # $1: checkout; to what sb_resolve found
  if [ -n "$sb_branch" ]; then
    sb_git -C "$1" checkout -q -B "$sb_branch" --track "origin/$sb_branch"
  else
    sb_git -C "$1" checkout -q --detach "$sb_commit"
  fi
}

# Says which commit checkout $1 is at, as the fact $2.
sb_commit_fact() {
  sb_at=$(git -C "$1" symbolic-ref -q --short HEAD) || sb_at=
  fact "$2" "$(git -C "$1" log -1 --format='%h of %cs' HEAD)${sb_at:+, branch $sb_at}"
}

sb_clone() { # $1: repository; $2: what to check out, or empty; $3: checkout
  rm -rf -- "$3.sbatchat-part"
  mkdir -p -- "${3%/*}" || fail closed "${3%/*}"
  sb_undo() { rm -rf -- "$sb_new"; }
  sb_new=$3.sbatchat-part
  sb_git clone --progress --no-checkout -- "$1" "$sb_new" || fail clone "$1"
  if [ -n "$2" ]; then
    sb_resolve "$sb_new" "$2" || fail ref "$2"
    sb_go "$sb_new" || fail checkout "$2"
  else
    sb_git -C "$sb_new" checkout -q || fail checkout HEAD
  fi
  [ ! -d "$3" ] || rmdir -- "$3" || fail occupied "$3"
  mv -- "$sb_new" "$3" || fail closed "$3"
  sb_undo() { :; }
}

# How many files of the checkout $1 are changed; not the tokens of NeMo-RL, which belong to the site.
sb_changes() {
  git -C "$1" status --porcelain --untracked-files=no | grep -cv ' nemo_rl/configs/auth\.sh$'
}

# $1: repository; $2: what to check out, or empty for what it is at or its default; $3: checkout;
# $4: `asked` when a person named $2. Sets sb_why, and sb_new when it was cloned.
sb_checkout() {
  sb_why= sb_new=
  command -v git >/dev/null || fail git
  if { [ ! -e "$3" ] && [ ! -L "$3" ]; } || { [ -d "$3" ] && [ -z "$(ls -A -- "$3")" ]; }; then
    sb_clone "$@"
    return 0
  fi
  sb_top=$(LC_ALL=C git -C "$3" rev-parse --show-toplevel 2>&1)
  case $sb_top in *'dubious ownership'*) fail theirs "$3" ;; esac
  [ "$sb_top" = "$(readlink -f -- "$3")" ] || fail occupied "$3"
  sb_before=$(git -C "$3" rev-parse HEAD)
  sb_on=$(git -C "$3" symbolic-ref -q --short HEAD) || sb_on=
  sb_changed=$(sb_changes "$3")
  if [ "$sb_changed" -gt 0 ]; then
    sb_why="dirty $sb_changed"
    return 0
  fi
  if [ -z "$4" ] && [ -n "$2" ] && [ "$sb_on" != "$2" ]; then
    sb_why="elsewhere ${sb_on:-$(git -C "$3" rev-parse --short HEAD)}"
    return 0
  fi
  git -C "$3" remote get-url origin >/dev/null 2>&1 || {
    sb_why=alone
    return 0
  }
  sb_git -C "$3" fetch --progress origin || fail fetch "$1"
  if [ -n "$4" ]; then
    sb_git -C "$3" fetch -q --tags origin
    sb_resolve "$3" "$2" || fail ref "$2"
    # Commits that only this branch has would be out of sight.
    if [ -n "$sb_branch" ] && git -C "$3" rev-parse -q --verify "refs/heads/$sb_branch" >/dev/null &&
      ! git -C "$3" merge-base --is-ancestor "refs/heads/$sb_branch" "$sb_commit"; then
      sb_why="own $sb_branch"
      return 0
    fi
    sb_go "$3" || fail checkout "$2"
  elif [ -n "$sb_on" ] && sb_commit=$(git -C "$3" rev-parse -q --verify "origin/$sb_on^{commit}"); then
    git -C "$3" merge-base --is-ancestor HEAD "$sb_commit" ||
      git -C "$3" merge-base --is-ancestor "$sb_commit" HEAD || {
      sb_why="own $sb_on"
      return 0
    }
    sb_git -C "$3" merge -q --ff-only "$sb_commit" || fail checkout "$sb_on"
  else
    sb_why="elsewhere $(git -C "$3" rev-parse --short HEAD)"
  fi
}

# The same as a whole step. $1: name of the step and the fact; the rest as for sb_checkout.
sb_checkout_step() {
  sb_step=$1
  shift
  step "$sb_step"
  sb_checkout "$@"
  sb_commit_fact "$3" "$sb_step"
  if [ -n "$sb_why" ]; then
    kept $sb_why
  elif [ -z "$sb_new" ] && [ "$sb_before" = "$(git -C "$3" rev-parse HEAD)" ]; then
    there "$3"
  else
    ok "$3"
  fi
}
