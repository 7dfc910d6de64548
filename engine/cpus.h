/*
 * cpus: the list of processors that workers are pinned to, in turn.
 */
#ifndef ENGINE_CPUS_H
#define ENGINE_CPUS_H

#include <pthread.h>
#include <stdint.h>

#include "engine/err.h"

struct cpus {
	int *cpu;	/* owned */
	uint32_t count; /* 0: no pinning */
};

/*
 * "0-3,6", in the order given; NULL or "" is the empty list. -EINVAL with a
 * sentence for anything else, and for a processor that this process may not
 * use. out is untouched on failure.
 */
int cpus_parse(const char *text, struct cpus *out, struct err *err);

void cpus_free(struct cpus *c);

/* A thread made with these attributes is pinned to processor `turn` of the
 * list, round and round. 0 or -errno; an empty list changes nothing. */
int cpus_pin(const struct cpus *c, uint32_t turn, pthread_attr_t *attr);

#endif
