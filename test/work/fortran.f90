! fortran.f90 - MPI-IO and plain Fortran I/O; counters for 4 ranks in fortran.want and fortran-units.want
! SPDX-License-Identifier: BSD-3-Clause
program fortran
    use mpi
    implicit none
    integer :: rank, err, fh, unit
    integer :: status(MPI_STATUS_SIZE)
    integer :: values(25)
    integer(kind=MPI_OFFSET_KIND) :: offset
    character(len=1024) :: dir, name

    call MPI_Init(err)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, err)
    call get_command_argument(1, dir)
    values = rank
    offset = rank * 100
    call MPI_File_open(MPI_COMM_WORLD, trim(dir) // '/fortran.dat', MPI_MODE_CREATE + MPI_MODE_RDWR, &
                       MPI_INFO_NULL, fh, err)
    if (err /= MPI_SUCCESS) stop 1
    call MPI_File_write_at_all(fh, offset, values, 25, MPI_INTEGER, status, err)
    if (err /= MPI_SUCCESS) stop 2
    call MPI_File_read_at(fh, offset, values, 10, MPI_INTEGER, status, err)
    if (err /= MPI_SUCCESS) stop 3
    call MPI_File_close(fh, err)
    write (name, '(a, "/unit.", i0)') trim(dir), rank
    open (newunit=unit, file=trim(name), form='unformatted', access='stream', status='replace')
    write (unit) values(1:10)
    close (unit)
    call MPI_Finalize(err)
end program fortran
