/* way.h - the way from a party to its coordinator: a URL, a coordinator of this process or a function of the caller's; and the
 * patience with one that does not answer. Called by agent_api.c and trustee_api.c. */
#ifndef TC_NET_WAY_H
#define TC_NET_WAY_H

#include <tacit/coordinator.h>

#include "agent/transport.h"
#include "net/client.h"
#include "net/exchange.h"
#include "net/here.h"
#include "study/store.h"

typedef struct tc_net_way {
    /* What its owner sets; borrowed. As in tacit_agent_opts (<tacit/agent.h>). */
    const char *coordinator, *fingerprint, *ca, *proxy;
    tacit_coordinator *here;
    tc_exchange exchange;
    double patience_s;
    bool (*stop)(void *user);
    void (*note)(void *user, const char *text);
    void *user;
    const char *who; /* "agent": of sentences about it */
    /* ... and once it is there: where announced keys of the coordinator are kept */
    tc_store *store;

    /* Its own; zero at first. */
    tc_client *client;
    tc_here local;
    uint64_t silent_since; /* tc_clock_ns of the first call in a row without an answer; 0: none */
    int64_t pause_ms;
    int64_t wait_ms; /* the pause before the next question, where answers come at once; 0: none */
} tc_net_way;

/* E_ARG: there are several ways, or none. */
tacit_status tc_net_way_check(const tc_net_way *w, tacit_error *err);
tacit_status tc_net_way_open(tc_net_way *w, tacit_error *err);
void tc_net_way_close(tc_net_way *w);
tc_transport tc_net_way_transport(tc_net_way *w);

/* The store may know more of the coordinator's keys than what the party was started with; it is asked where there is one. */
tacit_status tc_net_way_follow_keys(tc_net_way *w, tacit_error *err);
/* Keeps what was heard of them before there was a store. */
tacit_status tc_net_way_keep_early(tc_net_way *w, tacit_error *err);

bool tc_net_way_is_stopped(const tc_net_way *w);
tacit_status tc_net_way_stopped(tacit_error *err); /* E_CANCELLED */

/* After a call that failed with `status`: waits, longer each time, where the coordinator was silent (E_IO); the failure
 * itself otherwise, and once patience is at its end. */
tacit_status tc_net_way_endure(tc_net_way *w, tacit_status status, const tacit_error *why,
                               tacit_error *err);
/* It has answered. */
void tc_net_way_is_there(tc_net_way *w);
/* A coordinator holds a question until there is an answer. One that does not is asked less and less often. asked: when, by
 * tc_clock_ns; waits: the answer was "not yet". */
void tc_net_way_pace(tc_net_way *w, uint64_t asked, bool waits);

#endif
