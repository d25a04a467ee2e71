/* erfcx.h - the scaled complementary error function, for Gaussian tails that must not underflow. */
#ifndef TC_PRIVACY_ERFCX_H
#define TC_PRIVACY_ERFCX_H

/* exp(x^2) erfc(x) to a relative TC_ERFCX_ERROR for x >= 0. Callers inflate by that bound. */
#define TC_ERFCX_ERROR 4e-15
double tc_erfcx(double x);

#endif
