/*
 * journal: a file of the run folder that only grows, by rows that count or
 * not as a whole. Bytes behind the committed ones are nobody's and may be cut
 * off at any time.
 */
#ifndef EXPORT_JOURNAL_H
#define EXPORT_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct journal {
	const char *name; /* the caller's */
	int fd;		  /* -1: not open */
	uint64_t committed;
	/* Rows to come, in memory; put with the FILE's own functions. */
	FILE *rows;
	char *text; /* theirs after journal_end */
	size_t length;
};

/* All return 0 or -errno. */

/* Not open yet, no rows. journal_fini may follow in any case. */
int journal_init(struct journal *j, const char *name);

/* Make the file in the folder (it must not exist) with the rows that were
 * put, its header, committed and on disk. */
int journal_create(struct journal *j, int dir_fd);

/* Whether somebody removed the file while it is open: what is written to it
 * is lost. */
bool journal_is_removed(const struct journal *j);

/* Forget the rows, ready to put others; and end them: text and length are
 * theirs. */
void journal_begin(struct journal *j);
int journal_end(struct journal *j);

/* Bring the ended rows to disk (one write, fdatasync) behind the committed
 * bytes. They do not count yet. */
int journal_write(struct journal *j);

/* What was written counts. */
void journal_commit(struct journal *j);

/* Cut what does not count, on disk too. */
int journal_cut(struct journal *j);

int journal_fini(struct journal *j);

#endif
