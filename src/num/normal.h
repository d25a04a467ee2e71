/* normal.h - a vector of standard normals from a stream, vectorised.
 *
 * The method of Box and Muller like tc_draw_normals, with elementary functions of our own: several
 * times faster, the same bits on every processor and from every C library, but other numbers. What
 * is drawn by one of the two must always be drawn by it. */
#ifndef TC_NUM_NORMAL_H
#define TC_NUM_NORMAL_H

#include "base/random.h"

void tc_normals(tc_stream *s, size_t n, double *out);

#endif
