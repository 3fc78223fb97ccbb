#!/bin/sh
# SPDX-License-Identifier: MIT
# What chmod and chown take, and what they do not.
. "$(dirname "$0")/lib.sh"

mkdir "$P/lab" "$P/lab/mr/a" "$P/lab/mw/w" "$P/lab/qp/q" "$P/lab/qp/q/mem/m"
a=$P/lab/mr/a

for file in addr lkey rkey data ctl; do
	fails EPERM chmod o+r "$a/$file"
done
for file in ctl wc mem/m/ctl mem/m/rkey mem/m/addr mem/m/data; do
	fails EPERM chmod o+r "$P/lab/qp/q/$file"
done
check "a group may be let into wc" chmod g+r "$P/lab/qp/q/wc"
check "and be let make mappings" chmod 770 "$P/lab/qp/q/mem"
fails EPERM chmod o+r "$P/lab/mw/w/rkey"
fails EPERM chmod o+w "$P/lab/mw/w/ctl"
fails EPERM chmod o+r "$a/translation"
for file in "$a/error" "$P/lab/mr/clone"; do
	fails EPERM chmod g+r "$file"
done
for file in ctl status rights data; do
	fails EPERM chown 2001 "$a/$file"
	fails EPERM chgrp 2001 "$a/$file"
done
fails EPERM chmod 700 "$D/attr"

check "a group may be let into ctl" chmod 660 "$a/ctl"
is "so it is" "$(stat -c %a "$a/ctl")" 660
is "who may write ctl may read error" "$(stat -c %a "$a/error")" 440
check "a group may be let into data" chmod g+r "$a/data"
check "and all be kept from status" chmod 400 "$a/status"
check "a directory's mode changes" chmod 1770 "$P/lab/mw"
is "and clone's with it" "$(stat -c %a "$P/lab/mw/clone")" 660
check "a directory's owner changes" chown 2001:2002 "$a"
is "and with it its files'" "$(stat -c %u:%g "$a" "$a/ctl" | uniq)" 2001:2002
is "but translation's" "$(stat -c %u:%g "$a/translation")" 0:0
check "the owner of mr/ changes" chown 2001 "$P/lab/mr"
is "by itself" "$(stat -c %u "$P/lab/mr" "$P/lab" "$P/lab/mw" | tr '\n' ' ')" \
    '2001 0 0 '
fails EPERM as_user 2002 chmod 777 "$a"
check "the owner may chmod" as_user 2001 chmod 700 "$a"
fails EPERM as_user 2001 chown 2002 "$a"
is "rights are another thing" "$(cat "$a/rights")" local_read
finish
