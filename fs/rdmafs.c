/* SPDX-License-Identifier: MIT */
#include "main.h"

int
main(int argc, char **argv)
{
	return rdmafs_main(argc, argv, NULL);
}
