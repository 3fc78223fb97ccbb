/* SPDX-License-Identifier: MIT */
/* Who made an object of the kernel's, from proc(5); see kernel.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

/* The file's bytes in buf, NUL behind them; 0: it cannot be read. */
static size_t
proc_read(uint32_t task, const char *name, char *buf, size_t size)
{
	char path[64];
	size_t n;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%u/%s", task, name);
	if ((f = fopen(path, "re")) == NULL)
		return 0;
	n = fread(buf, 1, size - 1, f);
	buf[n] = '\0';
	(void)fclose(f);
	return n;
}

/* The name that stands before it may have no newline of its own: the kernel
 * writes that as \\n. */
static uint32_t
process_of(const char *status)
{
	const char *tgid = strstr(status, "\nTgid:");

	return tgid == NULL ? 0 : (uint32_t)strtoul(tgid + 6, NULL, 10);
}

void
kernel_task(struct kernel_task *t)
{
	char status[512];
	size_t n;

	t->process = 0;
	if (proc_read(t->task, "status", status, sizeof(status)) > 0)
		t->process = process_of(status);
	n = proc_read(t->task, "comm", t->comm, sizeof(t->comm));
	/* A newline ends it, and may stand in it, too. */
	if (n > 0 && t->comm[n - 1] == '\n')
		n--;
	t->comm[n] = '\0';
}
