# Sourced by the scripts in jobs/: where pardem is, its Python environment, and what MPI needs on a workstation.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
outer_path=${PATH:-/usr/local/bin:/usr/bin:/bin}
export PATH="$root/.venv/bin:$outer_path"
export HOME="${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}"
unset PYTHONHOME PYTHONPATH PYTHONDONTWRITEBYTECODE # without bytecode each of thousands of processes would compile all sources

# One thread a rank: ranks are the parallelism.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
# Open MPI refuses root and more ranks than cores unless told (version 5 by other names); other MPI libraries do not read these.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
# Containers forbid one process to read another's memory; Open MPI 4 finds out only when it fails.
if [ -e /.dockerenv ] || [ -e /run/.containerenv ]; then export OMPI_MCA_btl_vader_single_copy_mechanism=none; fi

say() { printf '%s: %s\n' "${0##*/}" "$*"; }
die() { printf '%s: error: %s\n' "${0##*/}" "$*" >&2; exit 1; }
launch() { # launch RANKS COMMAND...
    if command -v mpirun >/dev/null; then mpirun -n "$@"; else srun -n "$@"; fi
}
