# Asks the recipes' git server as the login account, without a question to anybody. $1: address of
# the repository; $2: branch.

sb_git() {
  unset GIT_ASKPASS SSH_ASKPASS
  GIT_TERMINAL_PROMPT=0 GIT_SSH_COMMAND='ssh -o BatchMode=yes -o ConnectTimeout=10' \
    sb_limited 20 git ls-remote -- "$1" "refs/heads/$2"
}
sb_told git sb_git "$1" "$2"
sb_part end
