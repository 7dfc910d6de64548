/*
 * contents: what lives on a block device as far as libblkid knows it: a file
 * system, a member of a volume, a partition table. Tells what would be lost.
 */
#ifndef ENGINE_CONTENTS_H
#define ENGINE_CONTENTS_H

#include <stdbool.h>
#include <stddef.h>

#define CONTENTS_TEXT_MAX 320

/* Texts are "" where there is none; control characters in them are '?', for a
 * label is written by strangers. */
struct contents {
	char type[32];	/* "ext4", "LVM2_member", "swap" */
	char usage[16]; /* "filesystem", "raid", "crypto", "other" */
	char label[128];
	char uuid[64];
	char table[16];	     /* "gpt", "dos" */
	unsigned partitions; /* in that table */
};

/* Reads the open device or file. 0, or -errno when that cannot be told; out
 * is untouched then. */
int contents_probe(int fd, struct contents *out);

/* Whether anything was found. */
bool contents_any(const struct contents *c);

/* For a sentence: "file system ext4, label "data", UUID ...; partition table
 * gpt with 2 partitions", or "nothing that libblkid knows". Returns buf. */
char *contents_format(const struct contents *c, char *buf, size_t size);

#endif
