/* blas_kernel.h - OpenBLAS with a kernel for the CPU. Called once, when the program starts. */
#ifndef TC_PROGRAM_BLAS_KERNEL_H
#define TC_PROGRAM_BLAS_KERNEL_H

/* Takes a better kernel where OpenBLAS does not know the CPU (tacit_blas_better_kernel), unless OPENBLAS_CORETYPE says which
 * one it shall be. The environment stays as it was. Before there are threads. Returns NULL, or the
 * kernel that should be taken and could not. */
const char *tc_choose_blas_kernel(void);

#endif
