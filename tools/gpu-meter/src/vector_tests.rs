//! Vector instructions against known values.

use super::*;
use crate::wave::tests::{run, wave};

/// A wave in which lane n has n in v1, 1000 + n in v2 and 0xff00ff00 + n in v3.
fn prepared() -> Wave {
    let mut wave = wave(64);
    wave.vectors[1] = std::array::from_fn(|lane| lane as u32);
    wave.vectors[2] = std::array::from_fn(|lane| 1000 + lane as u32);
    wave.vectors[3] = std::array::from_fn(|lane| 0xff00_ff00 + lane as u32);
    wave
}

/// What lane 5 has in v0 afterwards.
fn fifth(text: &str) -> u32 {
    let mut wave = prepared();
    run(&mut wave, text);
    wave.vectors[0][5]
}

#[test]
fn arithmetic_of_one_and_two_words() {
    assert_eq!(fifth("v_sub_nc_u32_e32 v0, v1, v2"), 1000u32.wrapping_neg());
    assert_eq!(fifth("v_subrev_nc_u32_e32 v0, v1, v2"), 1000);
    assert_eq!(fifth("v_sub_nc_u32_e64 v0, v1, v2 clamp"), 0);
    assert_eq!(fifth("v_subrev_nc_u32_e64 v0, v1, v2 clamp"), 1000);
    assert_eq!(fifth("v_add_nc_u32_e64 v0, v3, v3 clamp"), u32::MAX);
    assert_eq!(fifth("v_add_nc_u32_e64 v0, v1, v2 clamp"), 1010);
    assert_eq!(fifth("v_lshlrev_b32_e32 v0, v1, v2"), 1005 << 5);
    assert_eq!(fifth("v_ashrrev_i32_e32 v0, 4, v3"), 0xfff0_0ff0);
    assert_eq!(fifth("v_mul_hi_u32 v0, v3, v2"), 1001);
    assert_eq!(fifth("v_mul_u32_u24_e32 v0, 3, v3"), 3 * 0xff05);
    assert_eq!(fifth("v_bcnt_u32_b32 v0, v3, v1"), 16 + 2 + 5);
    assert_eq!(fifth("v_ffbl_b32_e32 v0, v2"), 0);
    assert_eq!(fifth("v_ffbh_u32_e32 v0, v1"), 29);
    assert_eq!(fifth("v_bfrev_b32_e32 v0, v1"), 0xa000_0000);
    assert_eq!(fifth("v_min_i32_e32 v0, v1, v3"), 0xff00_ff05);
}

#[test]
fn arithmetic_of_three_words() {
    assert_eq!(fifth("v_bfe_u32 v0, v3, 8, 4"), 15);
    assert_eq!(fifth("v_bfe_i32 v0, v3, 24, 8"), u32::MAX);
    assert_eq!(
        fifth("v_bfi_b32 v0, v3, v2, v1"),
        1005 & 0xff00_ff05 | 5 & !0xff00_ff05
    );
    assert_eq!(fifth("v_lshl_add_u32 v0, v1, 2, v2"), 1025);
    assert_eq!(fifth("v_add_lshl_u32 v0, v1, v2, 1"), 2020);
    assert_eq!(fifth("v_xad_u32 v0, v1, 1, 10"), 14);
    assert_eq!(fifth("v_med3_u32 v0, v1, v2, 7"), 7);
    assert_eq!(fifth("v_mad_u32_u24 v0, v1, v1, v2"), 1030);
    assert_eq!(fifth("v_alignbit_b32 v0, v1, v3, 8"), 0x05ff_00ff);
    assert_eq!(fifth("v_perm_b32 v0, v1, v3, 0xc0d0400"), 0x00ff_0505);
}

#[test]
fn division_by_reciprocals() {
    // 1005 / 5, as compilers begin it.
    let text = "v_cvt_f32_u32_e32 v4, v1\nv_rcp_f32_e32 v4, v4\nv_cvt_f32_u32_e32 v5, v2\n\
                v_mul_f32_e32 v4, v4, v5\nv_cvt_u32_f32_e32 v0, v4";
    assert_eq!(fifth(text), 201);
    assert_eq!(fifth("v_cvt_u32_f32_e32 v0, -1.0"), 0);
}

#[test]
fn pairs_of_registers() {
    let mut wave = prepared();
    run(&mut wave, "v_lshrrev_b64 v[4:5], 4, v[2:3]");
    assert_eq!(wave.vectors[4][5], 0x5000_0000 | 1005 >> 4);
    assert_eq!(wave.vectors[5][5], 0x0ff0_0ff0);
    run(&mut wave, "v_mad_u64_u32 v[4:5], s[0:1], v3, v2, v[2:3]");
    let product = 0xff00_ff05u64 * 1005;
    let sum = product.wrapping_add(0xff00_ff05 << 32 | 1005);
    assert_eq!(wave.vectors[4][5], sum as u32);
    assert_eq!(wave.vectors[5][5], (sum >> 32) as u32);
}

#[test]
fn comparisons_make_masks_of_lanes_that_take_part() {
    let mut wave = prepared();
    wave.set_long(EXEC, 0xff);
    run(&mut wave, "v_cmp_gt_u32_e32 vcc, 3, v1");
    assert_eq!(wave.mask(VCC), 0b111);
    run(&mut wave, "v_cmp_lt_i32_e64 s[4:5], v3, v1");
    assert_eq!(wave.mask(4), 0xff);
    run(&mut wave, "v_cndmask_b32_e32 v0, v1, v2, vcc");
    assert_eq!(wave.vectors[0][..4], [1000, 1001, 1002, 3]);
    run(&mut wave, "v_cmpx_ne_u32_e32 2, v1");
    assert_eq!(wave.exec(), 0xfb);
    run(&mut wave, "v_cmpx_eq_i32_e32 2, v1");
    assert_eq!(wave.exec(), 0);
}

#[test]
fn carries_go_through_masks() {
    let mut wave = prepared();
    run(&mut wave, "v_add_co_u32 v4, vcc, v3, v3");
    assert_eq!(
        (wave.vectors[4][5], wave.mask(VCC)),
        (0xfe01_fe0a, u64::MAX)
    );
    run(&mut wave, "v_add_co_ci_u32_e32 v5, vcc, 0, v1, vcc");
    assert_eq!((wave.vectors[5][5], wave.mask(VCC)), (6, 0));
    wave.set_mask(6, 1 << 5);
    run(
        &mut wave,
        "v_subrev_co_ci_u32_e64 v6, s[8:9], 0, v1, s[6:7]",
    );
    assert_eq!((wave.vectors[6][5], wave.vectors[6][6]), (4, 6));
    run(&mut wave, "v_sub_co_u32 v6, s[8:9], v1, 2");
    assert_eq!(wave.mask(8), 0b11);
}

#[test]
fn parts_of_words() {
    let select = "dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:DWORD";
    assert_eq!(
        fifth(&format!("v_add_nc_u32_sdwa v0, v3, v1 {select}")),
        0xff + 5
    );
    let select = "dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_1";
    let text = format!("v_add_nc_u32_sdwa v0, v1, sext(v3) {select}");
    assert_eq!(fifth(&text), 5u32.wrapping_sub(256));
    let select = "dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD";
    assert_eq!(
        fifth(&format!("v_or_b32_sdwa v0, v1, v2 {select}")),
        (5 | 1005) << 16
    );
    let select = "dst_sel:BYTE_3 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 src1_sel:BYTE_0";
    let text = format!("v_mov_b32_e32 v0, v3\nv_add_nc_u32_sdwa v0, v1, v1 {select}");
    assert_eq!(fifth(&text), 0x0a00_ff05);
}

#[test]
fn lanes_are_read_and_written_one_by_one() {
    let mut wave = prepared();
    wave.set_long(EXEC, 0xf0);
    run(
        &mut wave,
        "v_readfirstlane_b32 s0, v2\nv_readlane_b32 s1, v2, 63",
    );
    assert_eq!(wave.scalars[..2], [1004, 1063]);
    run(&mut wave, "v_writelane_b32 v0, s1, 2");
    assert_eq!(wave.vectors[0][2], 1063);
    run(&mut wave, "v_swap_b32 v1, v2");
    assert_eq!(
        [wave.vectors[1][4], wave.vectors[2][4], wave.vectors[1][3]],
        [1004, 4, 3]
    );
    run(
        &mut wave,
        "v_mbcnt_lo_u32_b32 v0, exec_lo, 0\nv_mbcnt_hi_u32_b32 v0, exec_hi, v0",
    );
    assert_eq!(wave.vectors[0][4..8], [0, 1, 2, 3]);
}

#[test]
fn rows_of_lanes_are_permuted() {
    let all = "row_mask:0xf bank_mask:0xf";
    assert_eq!(
        fifth(&format!("v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] {all}")),
        4
    );
    assert_eq!(fifth(&format!("v_mov_b32_dpp v0, v1 row_ror:4 {all}")), 1);
    assert_eq!(fifth(&format!("v_mov_b32_dpp v0, v1 row_mirror {all}")), 10);
    assert_eq!(
        fifth(&format!("v_mov_b32_dpp v0, v1 row_half_mirror {all}")),
        2
    );
    assert_eq!(
        fifth(&format!("v_mov_b32_dpp v0, v1 row_xmask:15 {all}")),
        10
    );
    assert_eq!(
        fifth(&format!("v_add_nc_u32_dpp v0, v1, v2 row_shr:2 {all}")),
        3 + 1005
    );
    // Lanes that have nobody to read from are not written, or find 0.
    let shifted = format!("v_mov_b32_e32 v0, 7\nv_mov_b32_dpp v0, v1 row_shr:8 {all}");
    assert_eq!(fifth(&shifted), 7);
    assert_eq!(fifth(&format!("{shifted} bound_ctrl:1")), 0);
    let bank = "v_mov_b32_e32 v0, 7\nv_mov_b32_dpp v0, v1 row_mirror row_mask:0xf bank_mask:0x1";
    assert_eq!(fifth(bank), 7);
    let mut wave = prepared();
    run(
        &mut wave,
        "v_permlanex16_b32 v0, v1, 0, 0\nv_permlane16_b32 v4, v1, 0x76543210, -1",
    );
    assert_eq!([wave.vectors[0][5], wave.vectors[0][20]], [16, 0]);
    assert_eq!([wave.vectors[4][5], wave.vectors[4][12]], [5, 15]);
}
