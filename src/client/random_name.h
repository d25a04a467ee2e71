/* random_name.h - names of workers that say nothing about who they are: for clients of a coordinator. */
#ifndef TC_CLIENT_RANDOM_NAME_H
#define TC_CLIENT_RANDOM_NAME_H

enum { TC_RANDOM_NAME = 33 };
/* 128 bits of the system's, in hexadecimal. */
void tc_random_name(char out[TC_RANDOM_NAME]);

#endif
