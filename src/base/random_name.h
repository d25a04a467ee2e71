/* random_name.h - names of workers that say nothing about who they are: for the clients of a coordinator, and users. */
#ifndef TC_BASE_RANDOM_NAME_H
#define TC_BASE_RANDOM_NAME_H

enum { TC_RANDOM_NAME = 33 };
/* 128 bits of the system's, in hexadecimal. */
void tc_random_name(char out[TC_RANDOM_NAME]);

#endif
