#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Which other launcher is taken, and its command line (--dry-run), with launchers that only print their arguments.
. "${0%/*}/lib.sh"
fake() { # DIRECTORY NAME VERSION-LINE
    mkdir -p "$DIR/$1"
    printf '#!/bin/sh\n[ "$1" = --version ] && echo "%s" && exit 0\necho "%s:$A"; for a; do echo "<$a>"; done\nexit 3\n' "$3" "$2" >"$DIR/$1/$2"
    chmod +x "$DIR/$1/$2"
}
fake ompi4 mpirun 'mpirun (Open MPI) 4.1.4'
fake ompi5 mpirun 'mpirun (Open MPI) 5.0.3'
fake mpich mpirun 'HYDRA build details:'
fake prrte prterun 'prterun (PRRTE) 3.0.4'
fake slurm srun 'slurm 22.05.8'
mkdir "$DIR/base"
for t in sh env timeout id true head; do ln -s "$(type -P $t)" "$DIR/base/$t"; done
OLD=$PATH
with() { # DIRECTORY[,DIRECTORY...] ARGUMENT...: oshrun with only these launchers in PATH
    local d p=$DIR/base
    for d in ${1//,/ }; do p=$p:$DIR/$d; done
    shift
    PATH=$p run "$@"
}
root=; [ "$(id -u)" = 0 ] && root='--allow-run-as-root '
line() { [ "$(cat "$DIR/out")" = "$1" ] || fail "$WHAT: prints $(cat "$DIR/out"), expected $1"; }

with ompi4 --dry-run -H a,b -n 5 ./prog 'x y'; expect 0
line "$DIR/ompi4/mpirun ${root}-n 5 --host a:3,b:2 --map-by slot:OVERSUBSCRIBE --bind-to none ./prog 'x y'"
with ompi4 --dry-run -H a:1,b:3 -n 2 --bind package --tag-output --wdir '/a b' -x X -x 'Y=1 2' ./prog; expect 0
line "$DIR/ompi4/mpirun ${root}-n 2 --host a:1,b:1 --map-by slot:OVERSUBSCRIBE --bind-to socket -x X -x 'Y=1 2' --wdir '/a b' --tag-output ./prog"
with ompi5 --dry-run -H a,b -N 2 --bind package ./prog; expect 0
line "$DIR/ompi5/mpirun ${root}-n 4 --host a:2,b:2 --map-by ppr:2:node:OVERSUBSCRIBE --bind-to package ./prog"
SHMEM_SYMMETRIC_SIZE=1G with prrte,ompi4 --dry-run -H a -n 2 --tag-output ./prog; expect 0
line "$DIR/prrte/prterun ${root}-n 2 --host a:2 --map-by slot:OVERSUBSCRIBE --bind-to none -x SHMEM_SYMMETRIC_SIZE --output tag ./prog"
printf '# comment\na slots=2\n\nb:1 # more\n' >"$DIR/hosts"
with slurm --dry-run --hostfile "$DIR/hosts" -x 'A=1,2' --bind core ./prog; expect 0
line "env A=1,2 $DIR/slurm/srun --mpi=pmix --kill-on-bad-exit=1 --input=0 -n 3 --distribution=arbitrary -w 'a*2,b*1' --cpu-bind=cores ./prog"
SLURM_JOB_ID=5 with slurm,prrte,ompi4 --dry-run -n 8 -N 4 --tag-output ./prog; expect 0
line "$DIR/slurm/srun --mpi=pmix --kill-on-bad-exit=1 --input=0 -n 8 --ntasks-per-node=4 --label ./prog"
with slurm,ompi4 --dry-run -n 8 -N 4 ./prog; expect 0
line "$DIR/ompi4/mpirun ${root}-n 8 --map-by ppr:4:node:OVERSUBSCRIBE --bind-to none ./prog"
with ompi4,slurm --dry-run --launcher srun -H a,b -n 4 ./prog; expect 0
line "$DIR/slurm/srun --mpi=pmix --kill-on-bad-exit=1 --input=0 -n 4 -N 2 --ntasks-per-node=2 -w a,b ./prog"
with ompi4 --dry-run -N 4 -n 4 true; expect 0; grep -q 'on this host' "$DIR/out" || fail "$WHAT: not local"
with ompi4 --dry-run --launcher local -H a -n 2 true; expect 0; grep -q 'on this host' "$DIR/out" || fail "$WHAT: not local"

with slurm -H a -n 1 -x 'A=b  c' ./prog '' 'x y'; expect 3 "1 PE"
grep -qx 'srun:b  c' "$DIR/out" && grep -qx '<>' "$DIR/out" && grep -qx '<x y>' "$DIR/out" || fail "$WHAT: $(cat "$DIR/out")"
with base -H a -n 1 ./prog; expect 127 'install Open MPI'
with ompi4 --launcher srun -H a -n 1 ./prog; expect 127 'no srun in PATH'
with mpich -H a -n 1 ./prog; expect 127 'does not serve PMIx' 'HYDRA'
with mpich,slurm --dry-run -H a -n 1 ./prog; expect 0; grep -q srun "$DIR/out" || fail "$WHAT: $(cat "$DIR/out")"
PATH=$OLD
pass
