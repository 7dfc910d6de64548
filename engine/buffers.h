/*
 * buffers: the memory that I/Os move data from and to: one area for reads,
 * one for writes, so that what was read never becomes what is written.
 *
 * An area is made once and only grows, in place: its address stays, so what
 * is registered with a ring stays registered. Huge pages are asked for.
 * Everything is filled with random, incompressible data when it is made,
 * which also makes the kernel back it with memory.
 */
#ifndef ENGINE_BUFFERS_H
#define ENGINE_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/err.h"
#include "engine/point.h"

struct buffer_area {
	char *base;	 /* aligned to 2 MiB; NULL until first reserved */
	void *space;	 /* what mmap gave */
	size_t reserved; /* bytes of address space from base */
	size_t filled;	 /* bytes that can be used */
	bool huge;	 /* most of them lie in huge pages: fewer pieces an
			  * I/O, which some storage serves much faster */
};

/* All zero is empty. */
struct buffers {
	struct buffer_area area[DIR_COUNT];
};

/*
 * At least `bytes` at area[dir].base, aligned to 2 MiB. 0, or -ENOMEM with a
 * sentence when the machine has not that much memory available.
 */
int buffers_reserve(struct buffers *b, enum direction dir, size_t bytes,
		    struct err *err);

/* Forget all areas without giving them back: I/Os that never returned may
 * still use them. */
void buffers_abandon(struct buffers *b);

void buffers_free(struct buffers *b);

#endif
