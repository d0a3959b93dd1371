# Helpers for people at the login node: source bash_utils.sh

# A shell in the NeMo-RL container on one node: nemorlinteractive NODE_INDEX
nemorlinteractive() {
  local index=${1:-} here partition node
  here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
  case ${CLUSTER_TYPE:-} in
    hcc-a3m | hcc-a3u | hcc-a4 | hcc-a3h) partition=${CLUSTER_TYPE#hcc-} ;;
    "")
      echo 'nemorlinteractive: set CLUSTER_TYPE first, such as: export CLUSTER_TYPE="hcc-a3m"' >&2
      return 2
      ;;
    *)
      echo "nemorlinteractive: unknown CLUSTER_TYPE: $CLUSTER_TYPE" >&2
      return 2
      ;;
  esac
  if [[ ! $index =~ ^[0-9]+$ ]]; then
    echo "Usage: nemorlinteractive NODE_INDEX" >&2
    return 2
  fi
  node=$(sinfo -h -N -p "$partition" -o %N | grep -m 1 -- "-$index\$")
  if [[ -z $node ]]; then
    echo "nemorlinteractive: partition $partition has no node $index; it has:" >&2
    sinfo -h -p "$partition" -o %N >&2
    return 1
  fi
  bash "$here/scripts/enter_image.sh" "$here/nemo_rl-h20260302.sqsh" || return
  (
    [[ ! -f $here/configs/auth.sh ]] || source "$here/configs/auth.sh"
    srun --partition="$partition" --nodelist="$node" --nodes=1 --ntasks=1 --gpus-per-node=8 \
      --exclusive --job-name=nemorlinteractive --chdir="$here" --pty bash
  )
}
