#!/usr/bin/env bash
# Counts what the kernels would cost on a Radeon, without one, and compares with gpu.tsv.
#
#   benches/gpu.sh [NAME...]   all work, or that whose name contains one of these (breed_rows/9x9)
#   benches/gpu.sh --store     counts everything, and writes gpu.tsv anew
#   benches/gpu.sh --rates     what the stored counts mean for a real card, by the model of docs/performance/gpu.md
#   benches/gpu.sh --kernel grids/breed_rows --size 9 --mapping thread --hot 20   one kernel (see --help)
#
# Fails if a mapping that `auto` chooses spills registers, uses scratch memory or gives wrong bits. All work also means whole
# generations of every algorithm, in waves of 32 and of 64 lanes.
# docs/performance/gpu-meter.md says what is counted, and what is not.
set -euo pipefail
cd "$(dirname "$0")/.."

missing() {
    echo "benches/gpu.sh: $1" >&2
    exit 1
}

# Debian's package says where it has put the description of the driver; elsewhere it is in the usual folder.
files=$(dpkg -L mesa-vulkan-drivers 2>/dev/null || ls /usr/share/vulkan/icd.d/* 2>/dev/null || true)
driver=$(grep -m 1 'radeon_icd.*\.json$' <<<"$files" || true)
[ -n "$driver" ] || missing "there is no RADV: install Mesa's Vulkan drivers (Debian: mesa-vulkan-drivers)"
loader=$(ldconfig -p 2>/dev/null | grep -m 1 'libvulkan\.so\.1' || true)
[ -n "$loader" ] || missing "there is no Vulkan loader: install it (Debian: libvulkan1)"

# Null hardware of the family of the RX 6800 XT. What was compiled before would come without its assembly.
export RADV_FORCE_FAMILY=navi21 MESA_SHADER_CACHE_DISABLE=true NODEVICE_SELECT=1
export VK_ICD_FILENAMES=$driver VK_DRIVER_FILES=$driver
exec cargo run --quiet --release --manifest-path tools/gpu-meter/Cargo.toml -- "$@"
