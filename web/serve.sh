#!/usr/bin/env bash
# Shows web/dist/ on this machine: http://127.0.0.1:8000, or another port if one is given. Any static server will do.
set -euo pipefail
cd "$(dirname "$0")"
[ -d dist ] || ./build.sh
exec python3 -m http.server --bind 127.0.0.1 --directory dist "${1:-8000}"
