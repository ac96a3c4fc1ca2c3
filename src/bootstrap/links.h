/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job on several hosts whose launcher does not notice within seconds that a host is gone, or the network to it: the star
 * of tcp.h beside the launcher's own bootstrap. Its server is in PE 0, its random token goes through that bootstrap.
 * All calls but abort are collective.
 */
#ifndef GS_LINKS_H
#define GS_LINKS_H

#include "bootstrap/bootstrap.h"

/* Where b's ops->sees_hosts is false. 0, or nonzero and logged. */
int gs_links_start(struct gs_boot *b);
/* After a fence of b. Does nothing where there are no links. */
void gs_links_stop(void);
/* This PE is about to end the job with status. True: all other PEs leave with it, and this one shall too. False: there are no
 * links, or the launcher does it: then the links are silent from now on. Any thread. */
bool gs_links_abort(struct gs_boot *b, int status);

#endif
