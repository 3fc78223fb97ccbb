/* SPDX-License-Identifier: MIT */
/*
 * A stream of lines that comes in pieces, cut anywhere: an unfinished line
 * waits for the next piece.  Knows nothing of what a line says.
 */
#ifndef PROTO_STREAM_H
#define PROTO_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../core/err.h"

/* At its start it is all zero. */
struct stream {
	char *kept; /* malloc'ed, CMD_LINE + 1 bytes; NULL: not needed yet */
	size_t len; /* of what is kept */
	bool spent; /* that is the beginning of no line to come */
	uint64_t line; /* the number of the present line, from 1 */
};

/* Wipes and releases. */
void stream_fini(struct stream *s);
/*
 * The next line of the piece buf of n bytes, from *pos on; *pos moves behind
 * it.  The line, without its newline, is valid until the piece is over and
 * stream_keep() has been called.
 * Returns 1, or 0 when what is left is no whole line; or -EMSGSIZE (over
 * CMD_LINE bytes, also when its end has not come yet) or -EINVAL (a control
 * byte but tab) with the reason: then s->line is its number.
 */
int stream_next(struct stream *s, const char *buf, size_t n, size_t *pos,
    const char **line, size_t *len, struct err *e);
/*
 * The piece is over: keeps what is left of it from pos on, after
 * stream_next() has returned 0.  0, or -ENOMEM with the reason.
 */
int stream_keep(
    struct stream *s, const char *buf, size_t n, size_t pos, struct err *e);
/* Whether a command is kept that has no end: not blanks or a comment. */
bool stream_is_unfinished(const struct stream *s);

#endif
