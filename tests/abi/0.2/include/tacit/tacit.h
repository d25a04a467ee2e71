/* tacit/tacit.h - all of libtacit and libtacit-privacy. Agents and coordinators have headers of their own, agent.h,
 * coordinator.h and net.h, which need libtacit-net. What may still change is in
 * tacit/experimental/ and is included by itself. */
#ifndef TACIT_H
#define TACIT_H

#include <tacit/algorithms.h>
#include <tacit/build.h>
#include <tacit/document.h>
#include <tacit/ledger.h>
#include <tacit/optimizer.h>
#include <tacit/plan.h>
#include <tacit/privacy.h>
#include <tacit/records.h>
#include <tacit/release.h>
#include <tacit/space.h>
#include <tacit/status.h>
#include <tacit/study.h>
#include <tacit/user.h>
#include <tacit/worker.h>

/* The version, in one place: the build, the package files and `tacit version` read it here. */
#define TACIT_VERSION_MAJOR 0
#define TACIT_VERSION_MINOR 2
#define TACIT_VERSION_PATCH 0
#define TACIT_VERSION       "0.2.0"

/* The number in the name of the shared libraries, libtacit.so.1: a program runs with every library that has
 * the number it was linked with. It goes up when something of the stable headers is taken away or
 * changed in a way that an older program would notice, whatever the version is then. */
#define TACIT_ABI 1

#ifdef __cplusplus
extern "C" {
#endif
TACIT_API const char *tacit_version(void);
#ifdef __cplusplus
}
#endif
#endif
