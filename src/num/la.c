/* la.c - dense linear algebra over OpenBLAS; the only file that knows BLAS and LAPACK.
 *
 * The Fortran symbols are declared here: LAPACKE and cblas headers would tie the build to one
 * packaging of them. Each function makes sure by itself that BLAS has one thread (blas_ready, a
 * load and a compare after the first time), so nobody has to remember tc_la_start. Where BLAS
 * leaves its output alone, for an inner dimension of 0, the wrappers still apply beta, as the
 * formula says; and beta = 0 overwrites whatever the output held. */
#include "num/la.h"

#include "base/error.h"
#include "base/memory.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

typedef int lapack_int; /* OpenBLAS as packaged has 32-bit dimensions */

extern void openblas_set_num_threads(int threads);
extern char *openblas_get_config(void);

extern double ddot_(const lapack_int *n, const double *x, const lapack_int *incx, const double *y,
                    const lapack_int *incy);
extern void daxpy_(const lapack_int *n, const double *a, const double *x, const lapack_int *incx,
                   double *y, const lapack_int *incy);
extern void dscal_(const lapack_int *n, const double *a, double *x, const lapack_int *incx);
extern double dnrm2_(const lapack_int *n, const double *x, const lapack_int *incx);
extern void dgemv_(const char *trans, const lapack_int *m, const lapack_int *n, const double *alpha,
                   const double *A, const lapack_int *lda, const double *x, const lapack_int *incx,
                   const double *beta, double *y, const lapack_int *incy, size_t);
extern void dgemm_(const char *ta, const char *tb, const lapack_int *m, const lapack_int *n,
                   const lapack_int *k, const double *alpha, const double *A, const lapack_int *lda,
                   const double *B, const lapack_int *ldb, const double *beta, double *C,
                   const lapack_int *ldc, size_t, size_t);
extern void dsyrk_(const char *uplo, const char *trans, const lapack_int *n, const lapack_int *k,
                   const double *alpha, const double *A, const lapack_int *lda, const double *beta,
                   double *C, const lapack_int *ldc, size_t, size_t);
extern void dtrsv_(const char *uplo, const char *trans, const char *diag, const lapack_int *n,
                   const double *A, const lapack_int *lda, double *x, const lapack_int *incx,
                   size_t, size_t, size_t);
extern void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag,
                   const lapack_int *m, const lapack_int *n, const double *alpha, const double *A,
                   const lapack_int *lda, double *B, const lapack_int *ldb, size_t, size_t, size_t,
                   size_t);
extern void dtrmm_(const char *side, const char *uplo, const char *trans, const char *diag,
                   const lapack_int *m, const lapack_int *n, const double *alpha, const double *A,
                   const lapack_int *lda, double *B, const lapack_int *ldb, size_t, size_t, size_t,
                   size_t);
extern void dpotrf_(const char *uplo, const lapack_int *n, double *A, const lapack_int *lda,
                    lapack_int *info, size_t);
extern void dpotri_(const char *uplo, const lapack_int *n, double *A, const lapack_int *lda,
                    lapack_int *info, size_t);
extern void dgesdd_(const char *jobz, const lapack_int *m, const lapack_int *n, double *A,
                    const lapack_int *lda, double *s, double *U, const lapack_int *ldu, double *Vt,
                    const lapack_int *ldvt, double *work, const lapack_int *lwork,
                    lapack_int *iwork, lapack_int *info, size_t);
extern void dsyevd_(const char *jobz, const char *uplo, const lapack_int *n, double *A,
                    const lapack_int *lda, double *w, double *work, const lapack_int *lwork,
                    lapack_int *iwork, const lapack_int *liwork, lapack_int *info, size_t, size_t);

static const lapack_int one = 1;

/* OpenBLAS takes buffers of this size at its first product, and does not give up when the system
 * refuses them: it asks again, for ever. */
#define BUFFERS ((size_t)256 << 20)

static bool room_for_buffers;

static void single_thread(void)
{
    openblas_set_num_threads(1);
    void *room = mmap(NULL, BUFFERS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    room_for_buffers = room != MAP_FAILED;
    if (room_for_buffers)
        munmap(room, BUFFERS);
}

static void blas_ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, single_thread);
}

tacit_status tc_la_start(tacit_error *err)
{
    blas_ready();
    if (!room_for_buffers)
        return tc_fail(err, TACIT_E_MEMORY, "out of memory: BLAS needs %zu MB of address space",
                       BUFFERS >> 20);
    return TACIT_OK;
}

const char *tc_la_library(void)
{
    blas_ready();
    return openblas_get_config();
}

static lapack_int dim(size_t n)
{
    assert(n <= INT_MAX);
    return (lapack_int)n;
}

/* BLAS refuses a leading dimension of 0 even for an empty matrix. */
static lapack_int leading(size_t ld, size_t rows)
{
    assert(ld >= rows);
    (void)rows;
    return ld == 0 ? 1 : dim(ld);
}

/* ---- vectors and products ---- */

double tc_dot(size_t n, const double *x, const double *y)
{
    const lapack_int N = dim(n);
    blas_ready();
    return ddot_(&N, x, &one, y, &one);
}

/* Kernels for Haswell and Zen fuse multiplication and addition in whole vectors and round twice in
 * what is left over. So BLAS gets whole vectors only: the rest is copied into one. */
enum { VECTOR = 64 };

void tc_axpy(size_t n, double a, const double *x, double *y)
{
    const size_t rest = n % VECTOR;
    const lapack_int whole = dim(n - rest), vector = VECTOR;
    blas_ready();
    daxpy_(&whole, &a, x, &one, y, &one);
    if (rest == 0)
        return;
    double from[VECTOR] = {0}, to[VECTOR] = {0};
    memcpy(from, x + whole, rest * sizeof *x);
    memcpy(to, y + whole, rest * sizeof *y);
    daxpy_(&vector, &a, from, &one, to, &one);
    memcpy(y + whole, to, rest * sizeof *y);
}

void tc_scale(size_t n, double a, double *x)
{
    const lapack_int N = dim(n);
    blas_ready();
    dscal_(&N, &a, x, &one);
}

double tc_norm2(size_t n, const double *x)
{
    const lapack_int N = dim(n);
    blas_ready();
    return dnrm2_(&N, x, &one);
}

/* x = beta x, where beta = 0 also overwrites what is not a number. */
static void scale_or_clear(size_t n, double beta, double *x)
{
    if (beta == 0)
        memset(x, 0, n * sizeof *x);
    else
        tc_scale(n, beta, x);
}

void tc_gemv(char trans, size_t m, size_t n, double alpha, const double *A, size_t lda,
             const double *x, double beta, double *y)
{
    const lapack_int M = dim(m), N = dim(n), LDA = leading(lda, m);
    const size_t out = trans == 'N' ? m : n, inner = trans == 'N' ? n : m;
    assert(trans == 'N' || trans == 'T');
    if (out == 0)
        return;
    if (inner == 0 || beta == 0)
        scale_or_clear(out, beta, y);
    if (inner == 0)
        return;
    blas_ready();
    dgemv_(&trans, &M, &N, &alpha, A, &LDA, x, &one, &beta, y, &one, 1);
}

void tc_gemm(char ta, char tb, size_t m, size_t n, size_t k, double alpha, const double *A,
             size_t lda, const double *B, size_t ldb, double beta, double *C, size_t ldc)
{
    const lapack_int M = dim(m), N = dim(n), K = dim(k);
    const lapack_int LDA = leading(lda, ta == 'N' ? m : k), LDB = leading(ldb, tb == 'N' ? k : n);
    const lapack_int LDC = leading(ldc, m);
    assert((ta == 'N' || ta == 'T') && (tb == 'N' || tb == 'T'));
    if (k == 0 || beta == 0)
        for (size_t j = 0; j < n; j++)
            scale_or_clear(m, beta, C + j * ldc);
    if (m == 0 || n == 0 || k == 0)
        return;
    blas_ready();
    dgemm_(&ta, &tb, &M, &N, &K, &alpha, A, &LDA, B, &LDB, &beta, C, &LDC, 1, 1);
}

void tc_syrk(char trans, size_t n, size_t k, double alpha, const double *A, size_t lda, double beta,
             double *C, size_t ldc)
{
    const lapack_int N = dim(n), K = dim(k);
    const lapack_int LDA = leading(lda, trans == 'N' ? n : k), LDC = leading(ldc, n);
    assert(trans == 'N' || trans == 'T');
    if (k == 0 || beta == 0)
        for (size_t j = 0; j < n; j++)
            scale_or_clear(n - j, beta, C + j + j * ldc);
    if (n == 0 || k == 0)
        return;
    blas_ready();
    dsyrk_("L", &trans, &N, &K, &alpha, A, &LDA, &beta, C, &LDC, 1, 1);
}

void tc_times_lower_t(size_t m, size_t n, const double *L, size_t ldl, double *B, size_t ldb)
{
    const lapack_int M = dim(m), N = dim(n), LDL = leading(ldl, n), LDB = leading(ldb, m);
    const double unit = 1;
    if (m == 0 || n == 0)
        return;
    blas_ready();
    dtrmm_("R", "L", "T", "N", &M, &N, &unit, L, &LDL, B, &LDB, 1, 1, 1, 1);
}

/* ---- Cholesky ---- */

/* The first pivot of L that is not a positive finite number, from 1; 0 if all are good. OpenBLAS
 * lets a NaN through. */
static size_t bad_pivot(size_t n, const double *L, size_t ldl)
{
    for (size_t i = 0; i < n; i++)
        if (!(L[i + i * ldl] > 0) || isinf(L[i + i * ldl]))
            return i + 1;
    return 0;
}

tacit_status tc_chol(size_t n, double *A, size_t lda, tacit_error *err)
{
    const lapack_int N = dim(n), LDA = leading(lda, n);
    lapack_int info = 0;
    size_t bad;
    if (n == 0)
        return TACIT_OK;
    blas_ready();
    dpotrf_("L", &N, A, &LDA, &info, 1);
    assert(info >= 0);
    bad = info > 0 ? (size_t)info : bad_pivot(n, A, lda);
    if (bad > 0)
        return tc_fail(err, TACIT_E_NUMERIC,
                       "a matrix of order %zu is not positive definite: pivot %zu is not above 0",
                       n, bad);
    return TACIT_OK;
}

/* Pivot n of a factor is a diagonal entry less a sum of n squares, each rounded. Below this it is
 * round-off: the BLAS kernel decides its sign, and what is divided by it is noise. */
static double least_pivot(size_t n, double diagonal)
{
    return 8 * (double)(n + 1) * DBL_EPSILON * diagonal;
}

/* Is every pivot of L more than round-off of the matrix A that it is the factor of? */
static bool stands_out(size_t n, const double *L, size_t ldl, const double *A, size_t lda)
{
    for (size_t i = 0; i < n; i++)
        if (!(L[i + i * ldl] * L[i + i * ldl] > least_pivot(i, A[i + i * lda])))
            return false;
    return true;
}

static void copy_lower(size_t n, const double *A, size_t lda, double *B, size_t ldb)
{
    for (size_t j = 0; j < n; j++)
        memcpy(B + j + j * ldb, A + j + j * lda, (n - j) * sizeof *A);
}

static double mean_diagonal(size_t n, const double *A, size_t lda)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += A[i + i * lda];
    return sum / (double)n;
}

static void add_diagonal(size_t n, double *A, size_t lda, double added)
{
    for (size_t i = 0; i < n; i++)
        A[i + i * lda] += added;
}

tacit_status tc_chol_jitter(size_t n, double *A, size_t lda, double *scratch, double *jitter,
                            tacit_error *err)
{
    static const double steps[] = {0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4};
    const double mean = n > 0 ? mean_diagonal(n, A, lda) : 0;
    copy_lower(n, A, lda, scratch, n);
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        if (k > 0) {
            copy_lower(n, scratch, n, A, lda);
            add_diagonal(n, A, lda, steps[k] * mean);
        }
        if (tc_chol(n, A, lda, NULL) != TACIT_OK || !stands_out(n, A, lda, scratch, n))
            continue;
        if (jitter != NULL)
            *jitter = steps[k] * mean;
        return TACIT_OK;
    }
    return tc_fail(
        err, TACIT_E_NUMERIC,
        "a matrix of order %zu is not positive definite even with %g added to its diagonal", n,
        1e-4 * mean);
}

tacit_status tc_chol_append(size_t n, double *L, size_t ldl, const double *k, double kk,
                            tacit_error *err)
{
    const lapack_int N = dim(n), LDL = leading(ldl, n + 1);
    double *row = L + n;
    double pivot = kk;
    if (n > 0) {
        blas_ready();
        for (size_t i = 0; i < n; i++)
            row[i * ldl] = k[i];
        dtrsv_("L", "N", "N", &N, L, &LDL, row, &LDL, 1, 1, 1);
        pivot -= ddot_(&N, row, &LDL, row, &LDL);
    }
    const double least = least_pivot(n, kk);
    if (!(pivot > least) || isinf(pivot))
        return tc_fail(
            err, TACIT_E_NUMERIC,
            "row %zu cannot be appended to a Cholesky factor: its pivot %g is not above %g", n + 1,
            pivot, least);
    row[n * ldl] = sqrt(pivot);
    return TACIT_OK;
}

double tc_chol_logdet(size_t n, const double *L, size_t ldl)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += log(L[i + i * ldl]);
    return 2 * sum;
}

/* ---- triangular solves ---- */

static void solve_one(const char *trans, size_t n, const double *L, size_t ldl, double *x)
{
    const lapack_int N = dim(n), LDL = leading(ldl, n);
    if (n == 0)
        return;
    blas_ready();
    dtrsv_("L", trans, "N", &N, L, &LDL, x, &one, 1, 1, 1);
}

static void solve_many(const char *trans, size_t n, size_t m, const double *L, size_t ldl,
                       double *B, size_t ldb)
{
    const lapack_int N = dim(n), M = dim(m), LDL = leading(ldl, n), LDB = leading(ldb, n);
    const double unit = 1;
    if (n == 0 || m == 0)
        return;
    blas_ready();
    dtrsm_("L", "L", trans, "N", &N, &M, &unit, L, &LDL, B, &LDB, 1, 1, 1, 1);
}

void tc_solve_lower(size_t n, const double *L, size_t ldl, double *x)
{
    solve_one("N", n, L, ldl, x);
}

void tc_solve_lower_t(size_t n, const double *L, size_t ldl, double *x)
{
    solve_one("T", n, L, ldl, x);
}

void tc_solve_lower_many(size_t n, size_t m, const double *L, size_t ldl, double *B, size_t ldb)
{
    solve_many("N", n, m, L, ldl, B, ldb);
}

void tc_solve_lower_t_many(size_t n, size_t m, const double *L, size_t ldl, double *B, size_t ldb)
{
    solve_many("T", n, m, L, ldl, B, ldb);
}

void tc_chol_solve(size_t n, const double *L, size_t ldl, double *x)
{
    solve_one("N", n, L, ldl, x);
    solve_one("T", n, L, ldl, x);
}

void tc_chol_inverse(size_t n, double *L, size_t ldl)
{
    const lapack_int N = dim(n), LDL = leading(ldl, n);
    lapack_int info = 0;
    if (n == 0)
        return;
    blas_ready();
    dpotri_("L", &N, L, &LDL, &info, 1);
    assert(info == 0); /* a factor made by tc_chol has no zero on its diagonal */
}

/* ---- decompositions ---- */

/* LAPACK may loop or return noise on a NaN: refuse it first. */
static tacit_status check_finite(size_t m, size_t n, const double *A, size_t lda, bool lower,
                                 const char *what, tacit_error *err)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = lower ? j : 0; i < m; i++)
            if (!isfinite(A[i + j * lda]))
                return tc_fail(err, TACIT_E_NUMERIC,
                               "%s of a matrix with %g in row %zu, column %zu is not defined", what,
                               A[i + j * lda], i + 1, j + 1);
    return TACIT_OK;
}

static tacit_status not_converged(const char *what, size_t m, size_t n, tacit_error *err)
{
    return tc_fail(err, TACIT_E_NUMERIC, "%s of a %zu x %zu matrix did not converge", what, m, n);
}

static tacit_status work_failed(double *work, lapack_int *iwork, tacit_error *err)
{
    tc_free(work);
    tc_free(iwork);
    return tc_fail_memory(err);
}

tacit_status tc_svd(size_t m, size_t n, double *A, size_t lda, double *U, double *s, double *Vt,
                    tacit_error *err)
{
    const size_t r = m < n ? m : n;
    const lapack_int M = dim(m), N = dim(n), LDA = leading(lda, m), R = dim(r), query = -1;
    lapack_int info = 0, lwork, *iwork, none = 0;
    double size = 0, *work;
    if (r == 0)
        return TACIT_OK;
    TC_TRY(check_finite(m, n, A, lda, false, "the singular value decomposition", err));
    blas_ready();
    dgesdd_("S", &M, &N, A, &LDA, s, U, &M, Vt, &R, &size, &query, &none, &info, 1);
    assert(info == 0);
    lwork = (lapack_int)size;
    work = tc_alloc((size_t)lwork, sizeof *work);
    iwork = tc_alloc(8 * r, sizeof *iwork);
    if (work == NULL || iwork == NULL)
        return work_failed(work, iwork, err);
    dgesdd_("S", &M, &N, A, &LDA, s, U, &M, Vt, &R, work, &lwork, iwork, &info, 1);
    tc_free(work);
    tc_free(iwork);
    assert(info >= 0);
    return info == 0 ? TACIT_OK : not_converged("the singular value decomposition", m, n, err);
}

tacit_status tc_eigen(size_t n, double *A, size_t lda, double *w, tacit_error *err)
{
    const lapack_int N = dim(n), LDA = leading(lda, n), query = -1;
    lapack_int info = 0, lwork, liwork = 0, *iwork;
    double size = 0, *work;
    if (n == 0)
        return TACIT_OK;
    TC_TRY(check_finite(n, n, A, lda, true, "the eigenvalue decomposition", err));
    blas_ready();
    dsyevd_("V", "L", &N, A, &LDA, w, &size, &query, &liwork, &query, &info, 1, 1);
    assert(info == 0);
    lwork = (lapack_int)size;
    work = tc_alloc((size_t)lwork, sizeof *work);
    iwork = tc_alloc((size_t)liwork, sizeof *iwork);
    if (work == NULL || iwork == NULL)
        return work_failed(work, iwork, err);
    dsyevd_("V", "L", &N, A, &LDA, w, work, &lwork, iwork, &liwork, &info, 1, 1);
    tc_free(work);
    tc_free(iwork);
    assert(info >= 0);
    return info == 0 ? TACIT_OK : not_converged("the eigenvalue decomposition", n, n, err);
}
