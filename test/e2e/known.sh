# known.sh - runs the programs of test/work in every way, and compares their logs with the .want files
# SPDX-License-Identifier: BSD-3-Clause
#
# To be sourced after lib.sh by the scripts of this directory. A further way to those of lib.sh:
#   nonmpi       compiled without MPI by cc, run under LD_PRELOAD with DARSHAN_ENABLE_NONMPI

# As test/run has it, for a script that is run alone: as root, on fewer cores than ranks, in a container.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_vader_single_copy_mechanism=none
export LC_ALL=C TZ=UTC
unset DARSHAN_ENABLE_NONMPI DARSHAN_DISABLE DARSHAN_LOGFILE DARSHAN_VERBOSE

work=$DSN_SRC/test/work
preload=${DSN_BEFORE:+$DSN_BEFORE:}$DSN_PREFIX/lib/libdarshan.so # DSN_BEFORE: see test/lib/moving.c

# each_mpi COMMAND...: runs it with MPI set to each implementation that is there
each_mpi() {
    for known_mpi in openmpi mpich; do
        have_mpi "$known_mpi" || { skip "$known_mpi: $*" "MPI: $known_mpi"; continue; }
        MPI=$known_mpi
        "$@"
    done
}

# two_command_lines FIRST SECOND: one job, two ranks of each
two_command_lines() {
    case $MPI in
    openmpi) timeout -k 5 60 "$OPENMPI_RUN" -n 2 $1 : -n 2 $2 ;;
    mpich) timeout -k 5 60 "$MPICH_RUN" -n 2 $1 : -n 2 $2 ;;
    esac
}

# compile WAY PROGRAM SOURCE [FLAG]...: a program of test/work
compile() {
    known_way=$1 known_program=$2 known_source=$work/$3
    shift 3
    if [ "$known_way" = nonmpi ]; then
        cc -g -Wall -o "$known_program" "$known_source" "$@" -lpthread
    else
        build "$known_way" "$known_program" "$known_source" -DWITH_MPI "$@" -lpthread
    fi
}

# execute WAY RANKS PROGRAM [ARGUMENT]...: not longer than 200 s
execute() {
    known_exec=$1 known_n=$2
    shift 2
    if [ "$known_exec" = nonmpi ]; then
        timeout 200 env DARSHAN_ENABLE_NONMPI=1 "LD_PRELOAD=$preload" "$@"
    else
        run "$known_exec" "$known_n" timeout 200 "$@"
    fi
}

# facts: of a parser's output, the header's facts, mounts and every counter
facts() {
    known_head='darshan log version|compression method|exe|uid|jobid|start_time|end_time|nprocs|run time|metadata'
    known_head="$known_head|job data|record table|mount entry|[A-Z0-9_/-]+ module"
    grep -aE "^[A-Z][A-Z0-9_/-]*	|^# ($known_head):"
}

# traces: of a trace parser's output, all but head and banners
traces() {
    grep -aE '^# DXT,|^#	|^ X_'
}

# wanted LOG DIRECTORY RANK WANT...: passes if the log keeps all rules and the .want files are fulfilled; known_defined: more
# options of decode
wanted() {
    known_log=$1 known_dir=$2 known_rank=$3
    shift 3
    for known_want; do
        set -- "$@" --want "$work/$known_want"
        shift
    done
    decode "$known_log" --strict -D "dir=$known_dir" -D "rank=$known_rank" -D "n=${known_ranks:-1}" ${known_defined-} "$@"
}

# known WAY RANKS SOURCE [FLAG]... [WANT]...: builds, runs, and compares the one log with SOURCE's .want file and others
known() {
    known_how=$1 known_ranks=$2 known_file=$3
    shift 3
    known_base=${known_file%.*} known_flags= known_wants= known_how_built=
    for known_word; do
        case $known_word in
        -[DO]*) known_how_built="$known_how_built $known_word" ;;
        esac
        case $known_word in
        -*) known_flags="$known_flags $known_word" ;;
        *) known_wants="$known_wants $known_word" ;;
        esac
    done
    known_text="$known_base, $known_how"
    [ "$known_ranks" -le 1 ] || known_text="$known_text, $known_ranks ranks"
    [ "$known_how" = nonmpi ] || known_text="$known_text, $MPI"
    [ -z "$known_how_built" ] || known_text="$known_text,$known_how_built"
    fresh_logs
    known_here=$DSN_SCRATCH/known.$lib_logs
    mkdir "$known_here" "$known_here/data" || exit 1
    if ! compile "$known_how" "$known_here/program" "$known_file" $known_flags 2>"$known_here/build.err"; then
        not_ok "$known_text" "does not build:" "$(cat "$known_here/build.err")"
        return 1
    fi
    # through a pipe, because streams that are redirected to files are these files' in the log
    {
        execute "$known_how" "$known_ranks" "$known_here/program" "$known_here/data"
        echo $? >"$known_here/status"
    } 2>&1 | cat >"$known_here/out"
    known_status=$(cat "$known_here/status")
    if [ "$known_status" -ne 0 ]; then
        not_ok "$known_text" "exit status $known_status" "$(cat "$known_here/out")"
        return 1
    fi
    if [ "$(count_logs)" != 1 ]; then
        not_ok "$known_text" "$(count_logs) logs" "$(cat "$known_here/out")"
        return 1
    fi
    case $known_how,$known_ranks in
    nonmpi,*) known_rank=0 ;;
    *) known_rank=-1 ;;
    esac
    check "$known_text" wanted "$(latest_log)" "$known_here/data" "$known_rank" "$known_base.want" $known_wants
    rm -rf "$known_here"
}
