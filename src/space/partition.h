/* partition.h - deterministic k-ary partitions of a box, and equal sub-regions.
 *
 * A cell is named (depth, index), root (0,0); child j of (h,i) is (h+1, k*i+j).
 * A cell is split along its longest side in unit coordinates (ties: lowest
 * axis) into k equal parts, so that every party builds the same tree from
 * nothing (papers/pf-pne, section 3).
 *
 * Every bound is a fraction p/k^s rounded once, so a border has the same bits
 * in all cells that share it, at whatever depth. k >= 2 and dim >= 1. */
#ifndef TC_SPACE_PARTITION_H
#define TC_SPACE_PARTITION_H

#include <stddef.h>
#include <stdint.h>

typedef struct tc_cell {
    uint32_t depth;
    uint64_t index;
} tc_cell;

/* Largest depth whose indices fit a signed 64-bit integer (what JSON and SQLite hold): 62, 39, 27
 * for k = 2, 3, 5. Sides shorter than 2^-53 exist there: such a cell's two bounds may coincide. */
uint32_t tc_cell_max_depth(unsigned k);
tc_cell tc_cell_child(tc_cell c, unsigned k, unsigned j);
/* Writes the bounds of the cell in [0,1]^dim. */
void tc_cell_box(tc_cell c, unsigned k, size_t dim, double *low, double *high);
/* The exact centre, rounded once: for odd k the middle child has the centre of its parent. */
void tc_cell_centre(tc_cell c, unsigned k, size_t dim, double *u);
/* The cell of depth h that contains u. Points on a border belong to the higher part, 1 to the last. */
tc_cell tc_cell_of(const double *u, uint32_t depth, unsigned k, size_t dim);

/* P equal hyper-rectangles: axes are cut in turn by the prime factors of P, smallest first
 * (papers/dp-fts-de, footnote 6). Regions count along the last axis first. The region of u is the
 * lowest index that contains it. */
void tc_region_box(size_t region, size_t P, size_t dim, double *low, double *high);
size_t tc_region_of(const double *u, size_t P, size_t dim);
/* Into how many parts an axis is cut: the product of every dim-th prime factor of P. */
size_t tc_region_parts(size_t P, size_t dim, size_t axis);

#endif
