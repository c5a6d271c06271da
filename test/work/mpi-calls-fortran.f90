! mpi-calls-fortran.f90 - calls of MPI from Fortran; counters for 4 ranks in mpi-calls-fortran.want
! SPDX-License-Identifier: BSD-3-Clause
!
! Compiled with -cpp, and -DUSE_MPIF or -DUSE_F08 for those interfaces instead of the module mpi.
program calls
#ifdef USE_F08
  use mpi_f08
  use iso_c_binding
#endif
#ifndef USE_F08
#ifndef USE_MPIF
  use mpi
#endif
#endif
  implicit none
#ifdef USE_MPIF
  include 'mpif.h'
#endif
#ifdef USE_F08
  type(MPI_Request) :: request
  type(MPI_Win) :: win
  type(c_ptr) :: memory
#else
  integer :: request, win
  integer(kind=MPI_ADDRESS_KIND) :: memory
#endif
  integer :: error, rank, ranks, n
  double precision :: values(100), others(400)
  integer(kind=MPI_ADDRESS_KIND) :: bytes, at

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  values = rank
  call MPI_Irecv(others, 50, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), 1, MPI_COMM_WORLD, request, error)
  call MPI_Send(values, 50, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 1, MPI_COMM_WORLD, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  do n = 1, 3
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end do
  call MPI_Bcast(values, 10, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  call MPI_Allreduce(MPI_IN_PLACE, values, 20, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0) others(1:5) = values(1:5)
  if (rank == 0) then
    call MPI_Gather(MPI_IN_PLACE, 5, MPI_DOUBLE_PRECISION, others, 5, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  else
    call MPI_Gather(values, 5, MPI_DOUBLE_PRECISION, others, 5, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  end if
  call MPI_Alltoall(values, 1, MPI_DOUBLE_PRECISION, others, 1, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
  bytes = 400
  at = 0
  call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, memory, win, error)
  call MPI_Win_fence(0, win, error)
  call MPI_Put(values, 5, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), at, 5, MPI_DOUBLE_PRECISION, win, error)
  call MPI_Win_fence(0, win, error)
  call MPI_Win_free(win, error)
  call MPI_Finalize(error)
end program calls
