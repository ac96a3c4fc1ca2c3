/* SPDX-License-Identifier: BSD-3-Clause */
#include "bootstrap/links.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "bootstrap/net.h"
#include "bootstrap/tcp.h"
#include "core/log.h"

static struct gs_boot star; /* its state: the connection to the server */
static struct gs_tcp_server *server;
static struct gs_boot *launcher;
static pid_t owner;

/* What PE 0 tells the others. */
struct call {
    bool works;
    struct sockaddr_storage addr;
    uint8_t token[GS_TCP_TOKEN];
};

static void leave(void)
{
    launcher->ops->leave(launcher);
}

static int open_server(struct call *call, int size, bool patient)
{
    struct gs_net_choice net;
    char name[64];

    if (gs_net_choose(&net))
        return -1;
    if (getrandom(call->token, sizeof call->token, 0) != sizeof call->token) {
        gs_error("getrandom gives no token for the links between hosts: %s", strerror(errno));
        return -1;
    }
    int fd = gs_tcp_listen(&net.addr);
    gs_tcp_name((struct sockaddr *)&net.addr, name);
    if (fd < 0) {
        gs_error("cannot listen at %s (%s) for the other hosts: %s", name, net.interface, strerror(errno));
        return -1;
    }
    server = gs_tcp_serve(fd, call->token, size);
    if (!server)
        return -1;
    if (patient)
        gs_tcp_server_patient(server);
    gs_info("PE 0 watches the links to other hosts at %s (%s); GIN_SHMEM_SOCKET_IFNAME chooses the interface", name,
            net.interface);
    call->addr = net.addr;
    call->works = true;
    return 0;
}

int gs_links_start(struct gs_boot *b)
{
    bool patient = !b->ops->needs_watch(b);
    struct call mine = {0}, *all = calloc((size_t)b->size, sizeof *all);
    struct gs_tcp_where where = {.n = 1, .patient = patient, .leave = leave, .name = "PE 0's watch over the hosts"};
    int rc = -1;

    if (!all) {
        gs_error("no memory for the links between hosts");
        return -1;
    }
    launcher = b;
    owner = getpid();
    if (b->rank == 0)
        open_server(&mine, b->size, patient); /* the others learn of a failure below */
    if (b->ops->allgather(b, &mine, sizeof mine, all) || !all[0].works)
        goto out;
    star = (struct gs_boot){.rank = b->rank, .size = b->size, .local_rank = b->local_rank};
    where.addr[0] = all[0].addr;
    memcpy(where.token, all[0].token, sizeof where.token);
    rc = gs_tcp_join(&star, &where);
out:
    if (rc && server) {
        gs_tcp_server_stop(server);
        server = NULL;
    }
    free(all);
    return rc;
}

void gs_links_stop(void)
{
    if (!star.state)
        return;
    int rc = gs_tcp_finalize(&star);
    if (server && rc)
        gs_tcp_server_stop(server);
    else if (server)
        gs_tcp_server_join(server);
    server = NULL;
    star.state = NULL;
}

bool gs_links_abort(struct gs_boot *b, int status)
{
    if (!star.state || owner != getpid())
        return false;
    if (!b->ops->needs_watch(b)) {
        gs_tcp_leave(&star);
        return false;
    }
    gs_tcp_abort(&star, status, NULL);
    leave();
    return true;
}
