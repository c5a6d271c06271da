! phases-fortran.f90 - phases that a Fortran program names
! SPDX-License-Identifier: BSD-3-Clause
program phases_fortran
    use mpi
    use iso_c_binding
    implicit none
    interface
        subroutine phase_begin(name) bind(C, name="darshan_phase_begin")
            import
            character(kind=c_char), intent(in) :: name(*)
        end subroutine
        subroutine phase_end() bind(C, name="darshan_phase_end")
        end subroutine
    end interface
    character(len=4096) :: directory
    integer :: error

    call MPI_Init(error)
    call get_command_argument(1, directory)
    call MPI_Pcontrol(3)
    call write_to(trim(directory) // "/leveled", 3)
    call MPI_Pcontrol(-3)
    call phase_begin("named" // c_null_char)
    call write_to(trim(directory) // "/named", 5)
    call phase_end()
    call write_to(trim(directory) // "/in-none", 7)
    call MPI_Finalize(error)
contains
    subroutine write_to(path, lines)
        character(len=*), intent(in) :: path
        integer, intent(in) :: lines
        integer :: i

        open(unit=10, file=path, status="replace", access="stream")
        do i = 1, lines
            write(10) "12345678"
        end do
        close(10)
    end subroutine
end program
