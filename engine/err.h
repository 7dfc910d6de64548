/*
 * err: the one sentence that a person reads when something went wrong.
 *
 * Whatever a user can cause fills a struct err: what, where (path:line), what
 * to do. Functions return 0 or -errno beside it; only the command line prints
 * it, once. A NULL err is allowed everywhere and drops the sentence.
 */
#ifndef ENGINE_ERR_H
#define ENGINE_ERR_H

#define ERR_TEXT_MAX 1024

/* The kind decides the exit status of the program, see err_exit_status(). */
enum err_kind {
	ERR_NONE,
	ERR_FAILED,  /* the system or the storage said no: exit 1 */
	ERR_USAGE,   /* the words of the user do not parse: exit 2 */
	ERR_REFUSED, /* safety, preflight, a run that does not match: exit 3 */
};

struct err {
	enum err_kind kind;
	char text[ERR_TEXT_MAX]; /* one sentence, no newline, cut at the end */
};

/*
 * Fill err with a sentence. Control characters in it become '?', so that a
 * path or label cannot steer a terminal. The first sentence wins: a caller
 * that adds nothing may pass the same err on.
 *
 * err_usage returns -EINVAL, err_refused returns -EPERM. err_failed takes a
 * positive errno and returns it negated; the text of errno is the caller's
 * to add (strerror).
 */
int err_usage(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int err_refused(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int err_failed(struct err *err, int errnum, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Forget the sentence, so that err can be used again. */
void err_clear(struct err *err);

/* 0, 1, 2 or 3, by kind. */
int err_exit_status(const struct err *err);

#endif
