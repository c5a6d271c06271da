# t9245-silent-rank.sh - a rank alone on its node that does not reach MPI_Finalize: the others do not wait for it in our
# part of MPI_Finalize, and their log says that it is a part
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

MPI=openmpi
have_mpi openmpi || skip_all 'MPI: openmpi'
[ "$(id -u)" = 0 ] && unshare --pid --fork --mount-proc true 2>/dev/null || skip_all 'right to make PID namespaces'

cat >late.c <<'END'
/* late RANK SECONDS: this rank sleeps before it calls MPI_Finalize; the first prints the time that it spends there until
 * its library's part is over, which is when the log of its node appears */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char name[64];
    int rank, fd;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "own.%d", rank);
    fd = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0644);
    if (write(fd, name, 5) != 5)
        return 1;
    close(fd);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == atoi(argv[1]))
        sleep((unsigned)atoi(argv[2]));
    MPI_Finalize();
    return 0;
}
END
check 'compiles' build_plain late late.c

# Each rank has a PID namespace and survival files of its own, as if it were alone on a node.
mkdir node0 node1
cat >alone <<'END'
#!/bin/sh
rank=$OMPI_COMM_WORLD_RANK
[ "$APART" = yes ] || exec env "LD_PRELOAD=$1" DARSHAN_MMAP_LOGPATH="$PWD/node0" ./late "$2" "$3"
exec unshare --pid --fork --mount-proc --kill-child env "LD_PRELOAD=$1" OMPI_COMM_WORLD_LOCAL_SIZE=1 OMPI_COMM_WORLD_LOCAL_RANK=0 \
    DARSHAN_MMAP_LOGPATH="$PWD/node$rank" ./late "$2" "$3"
END
chmod +x alone

# late APART LIMIT RANK SECONDS
late() {
    fresh_logs
    APART=$1 DARSHAN_FINALIZE_TIMEOUT=$2
    export APART DARSHAN_FINALIZE_TIMEOUT
    timeout 100 "$OPENMPI_RUN" --mca btl tcp,self -n 2 ./alone "$DSN_PREFIX/lib/libdarshan.so" "$3" "$4" >out 2>err
    late_status=$?
    unset APART DARSHAN_FINALIZE_TIMEOUT
    find "$DARSHAN_LOGPATH" -name '*.darshan' | while read -r log; do
        decode "$log" --text | awk '/^# metadata: (recovered|missing_ranks) = / { printf "%s=%s%s ", $3, $5, $6 $7 }'
        echo "${log##*_id}" | cut -d- -f1
    done | sort >said
}

for rank in 1 0; do
    late yes 3 $rank 12
    is "$late_status $(count_logs)" '0 2' "rank $rank is late on another node: the job ends well, with a log of each node"
    is "$(grep -c 'missing_ranks=1of2' said)" 2 "rank $rank is late: both logs say that a rank is missing"
    is "$(sed 's/.* //' said | sort -u | wc -l)" 1 "rank $rank is late: both have the same job id"
    is "$(ls node0/*/ node1/*/ | grep -c survival)" 0 "rank $rank is late: nothing is left"
done
late no 3 1 12
is "$late_status $(count_logs) $(grep -c missing said)" '0 1 0' 'a rank that is as late on the same node is known to live: one log of all'

finish
