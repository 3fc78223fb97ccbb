/* SPDX-License-Identifier: MIT */
/*
 * Errors with their reason: an errno, a sentence, and what is to blame.
 * Knows nothing of where the sentence will be shown.
 */
#ifndef CORE_ERR_H
#define CORE_ERR_H

#define ERR_TEXT 512

/*
 * Why something was refused.  Owned by the caller of the function that fails;
 * valid only after that function has returned a negative errno.
 */
struct err {
	int code; /* a positive errno, 0 while nothing has failed */
	/*
	 * What is to blame: the name of a command's argument ("length"), or
	 * of a right ("remote_write"); NULL: the command as a whole.  Static
	 * storage, never freed.
	 */
	const char *arg;
	char text[ERR_TEXT]; /* one line, no newline, never a key or data */
};

/*
 * Writes the reason for a failure, once, where it is known.
 * Takes: e (NULL: nobody wants the text), a positive errno, a format.
 * Returns -code, so that "return fail(e, EINVAL, ...)" reads as it should.
 */
int fail(struct err *e, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* As fail(), and arg (static storage) is to blame. */
int fail_at(struct err *e, const char *arg, int code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Makes e say that nothing has failed. */
void err_clear(struct err *e);

#endif
