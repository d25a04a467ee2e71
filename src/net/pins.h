/* pins.h - fingerprints by which a coordinator's key is known: one, or several with ; between them.
 *
 * An agent keeps what it has followed in its storage, under the fingerprints that it was given: who gives others begins anew with
 * those. Called by client.c and way.c. */
#ifndef TC_NET_PINS_H
#define TC_NET_PINS_H

#include "net/certificate.h"
#include "net/client.h"

#define TC_PIN "sha256//"

/* "sha256//" and 44 characters, the base64 of 32 bytes. */
bool tc_pin_is_one(const char *text);
/* E_ARG: `text`, of the option `roster`, is not one; NULL is none. */
tacit_status tc_pin_check_roster(const char *text, tacit_error *err);
/* E_ARG: not one or several of these. */
tacit_status tc_pins_check(const char *text, tacit_error *err);
/* Is this one of them? */
bool tc_pins_have(const char *pins, const char *one);

/* What was kept under `given`: *now NULL if nothing was, *next NULL if no other key was announced. Both for tc_free. */
tacit_status tc_pins_load(tc_store *s, const char *given, char **now, char **next,
                          tacit_error *err);
/* On disk when it returns. Another process that hears the same of the coordinator at this moment may be first. */
tacit_status tc_pins_store(tc_store *s, const char *given, const tc_pins *pins, tacit_error *err);

#endif
