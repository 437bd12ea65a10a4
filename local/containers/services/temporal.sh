#!/bin/sh
# Starts Temporal as its image does.
set -eu
: "${TEMPORAL_BROADCAST_ADDRESS:=$(hostname -i)}"
export TEMPORAL_BROADCAST_ADDRESS
exec temporal-server start
