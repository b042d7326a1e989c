#!/bin/bash
# A Slurm of one node on this machine, in a folder of its own, for as long as a command runs:
#
#   tests/sweep/cluster.sh COMMAND [ARGUMENT]...
#
# Needs root, and Debian's packages slurm-wlm and munge; else the exit status is 77, with a sentence. It changes
# nothing of a Slurm that is configured here: keys, sockets, ports and state are its own. Processes are followed
# through /proc, so no control groups are needed. The node has four processors, whether the machine has or not.
set -eu
for program in munged slurmctld slurmd sbatch; do
    command -v $program >/dev/null || PATH=$PATH:/usr/sbin:/sbin
    if ! command -v $program >/dev/null; then
        echo "$program is not here (packages slurm-wlm and munge): no Slurm is set up"
        exit 77
    fi
done
if [ "$(id -u)" -ne 0 ]; then
    echo "slurmd needs root: no Slurm is set up"
    exit 77
fi

cluster=$(mktemp -d /tmp/warpbeam-slurm-XXXXXX)
chmod 755 "$cluster"
mkdir -p "$cluster/spool" "$cluster/state"
mkdir -m 700 "$cluster/munge"
end() {
    for name in slurmd slurmctld munged; do
        [ ! -s "$cluster/$name.pid" ] || kill "$(cat "$cluster/$name.pid")" 2>/dev/null || true
    done
    for _ in $(seq 50); do
        pgrep -f "$cluster/" >/dev/null || break
        sleep 0.1
    done
    rm -rf "$cluster"
}
trap end EXIT

dd if=/dev/urandom of="$cluster/munge/key" bs=1024 count=1 2>/dev/null
chmod 400 "$cluster/munge/key"
# The socket lies where Slurm looks for it: all may go through its folder, but not that of the key.
munged --force --key-file="$cluster/munge/key" --seed-file="$cluster/munge/seed" --socket="$cluster/munge.socket" \
    --log-file="$cluster/munged.log" --pid-file="$cluster/munged.pid"
port=$((20000 + $$ % 20000))
node=$(hostname -s)
cat >"$cluster/slurm.conf" <<CONF
ClusterName=warpbeam
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.socket
CredType=cred/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
KillWait=2
MailProg=/bin/true
NodeName=$node NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$cluster/slurm.conf
slurmctld -f "$SLURM_CONF"
slurmd -f "$SLURM_CONF"
ready=
for _ in $(seq 100); do
    if timeout 5 sinfo --noheader --format=%T 2>/dev/null | grep -q idle; then
        ready=yes
        break
    fi
    sleep 0.1
done
if [ -z "$ready" ]; then
    tail -n 20 "$cluster"/*.log
    echo "Slurm did not come up"
    exit 1
fi
"$@"
