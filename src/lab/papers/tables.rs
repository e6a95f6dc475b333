//! What was published, and what is wrong with it.

use super::{Column, Figure, Problems, Row, Table};
use crate::lab::summary::Measure;

/// Every table that can be run again.
pub const ALL: &[Table] = &[
    LSGA_2, LSGA_3, LSGA_4, LSGA_5, NB_COIN_2, AH_LSGA_5, AH_LSGA_6, AH_LSGA_7, FPCHS, QUEENS_1,
];

const LSGA: &str = "Wang et al., A Novel Evolutionary Algorithm with Column and Sub-Block Local Search for Sudoku \
                    Puzzles (LSGA)";
const NB_COIN: &str =
    "Waiyapara et al., Solving Sudoku Puzzles with Node Based Coincidence Algorithm";
const AH_LSGA: &str = "Himasri et al., A Hybrid Evolutionary Approach with Adaptive Local Search";
const FPCHS_PAPER: &str = "Abdel-Raouf et al., A Novel Hybrid Flower Pollination Algorithm";
const QUEENS_PAPER: &str =
    "Ojugo & Yoro, Computational Intelligence in Stochastic Solution for Toroidal N-Queen";

const fn row(label: &'static str, problems: Problems) -> Row {
    Row { label, problems }
}

const fn puzzle(label: &'static str, name: &'static str) -> Row {
    row(label, Problems::Builtin(name))
}

const fn level(label: &'static str, count: u32, givens: usize) -> Row {
    row(label, Problems::StandIns { count, givens })
}

/// Success in percent, and an average.
const fn solved(percent: f64, mean: f64) -> Figure {
    Figure {
        success: Some(percent),
        mean: Some(mean),
        range: None,
    }
}

/// An average alone.
const fn average(mean: f64) -> Figure {
    Figure {
        success: None,
        mean: Some(mean),
        range: None,
    }
}

/// Average, most and least of a level.
const fn spread(success: Option<f64>, mean: f64, most: f64, least: f64) -> Figure {
    Figure {
        success,
        mean: Some(mean),
        range: Some((most, least)),
    }
}

/// Nothing was published.
const NOTHING: Figure = Figure {
    success: None,
    mean: None,
    range: None,
};

const fn own(
    label: &'static str,
    contenders: &'static [&'static str],
    figures: &'static [Figure],
) -> Column {
    Column {
        label,
        contenders,
        slow: &[],
        quoted: false,
        figures,
    }
}

const fn quoted(
    label: &'static str,
    contenders: &'static [&'static str],
    figures: &'static [Figure],
) -> Column {
    Column {
        quoted: true,
        ..own(label, contenders, figures)
    }
}

const SIX: &[Row] = &[
    puzzle("Easy 1", "easy-1"),
    puzzle("Easy 11", "easy-11"),
    puzzle("Medium 27", "medium-27"),
    puzzle("Medium 29", "medium-29"),
    puzzle("Hard 77", "hard-77"),
    puzzle("Hard 106", "hard-106"),
];

const SUPER_DIFFICULT: &[Row] = &[
    puzzle("SD1", "sd1"),
    puzzle("SD2", "sd2"),
    puzzle("SD3", "sd3"),
];

/// Stand-ins for the levels of www.websudoku.com.
const WEBSUDOKU: &[Row] = &[
    level("Easy", 30, 36),
    level("Medium", 30, 31),
    level("Hard", 30, 28),
    level("Evil", 30, 26),
];

/// Of NB-COIN's own paper, which LSGA's quotes.
const NB_COIN_ON_SIX: &[Figure] = &[
    solved(100.0, 2.0),
    solved(100.0, 4.0),
    solved(100.0, 130.0),
    solved(100.0, 1196.0),
    solved(100.0, 2710.0),
    solved(100.0, 2341.0),
];

/// Of Sato & Inoue, whom everybody quotes.
const GA_ON_SIX: &[Figure] = &[
    solved(100.0, 62.0),
    solved(100.0, 137.0),
    solved(100.0, 910.0),
    solved(100.0, 3193.0),
    solved(100.0, 9482.0),
    solved(96.0, 26825.0),
];

const LSGA_2: Table = Table {
    name: "lsga-2",
    source: LSGA,
    title: "Table II: average generations on six puzzles",
    runs: 100,
    runs_are_published: true,
    measure: Measure::Generations,
    rows: SIX,
    columns: &[
        own(
            "LSGA",
            &["lsga", "lsga:elite=0"],
            &[
                solved(100.0, 2.0),
                solved(100.0, 6.0),
                solved(100.0, 23.0),
                solved(100.0, 57.0),
                solved(100.0, 254.0),
                solved(100.0, 1269.0),
            ],
        ),
        quoted("NB-COIN", &["nb-coin"], NB_COIN_ON_SIX),
        quoted("GA-I", &["ga"], GA_ON_SIX),
        quoted(
            "GA-II",
            &["ga-ii"],
            &[
                solved(100.0, 46.0),
                solved(100.0, 88.0),
                solved(100.0, 188.0),
                solved(100.0, 357.0),
                solved(100.0, 702.0),
                solved(100.0, 1791.0),
            ],
        ),
    ],
    errors: &[
        "The text says that all algorithms ran 10^4 generations; GA-I's average of 26,825 on Hard 106 cannot \
         come from such runs. The columns of the others are quoted from papers with a limit of 10^5.",
        "Easy 1 in 2 generations and Easy 11 in 6 is not reached by any of 144 readings of the text; the \
         closest one needs 4.9 and 10.2.",
        "The elite queue, which the paper presents as a gain, costs generations on the hard puzzles: compare \
         lsga with lsga:elite=0.",
        "Generations of different algorithms are different amounts of work: LSGA searches every individual \
         in every generation.",
        "Of GA-II no more than an abstract was at hand: ga-ii is a reading of it.",
    ],
};

const LSGA_3: Table = Table {
    name: "lsga-3",
    source: LSGA,
    title: "Table III: average generations on three super difficult puzzles",
    runs: 100,
    runs_are_published: true,
    measure: Measure::Generations,
    rows: SUPER_DIFFICULT,
    columns: &[
        own(
            "LSGA",
            &["lsga", "lsga:elite=0"],
            &[
                solved(100.0, 424.0),
                solved(100.0, 538.0),
                solved(100.0, 3926.0),
            ],
        ),
        quoted(
            "GA-III",
            &["ga-iii"],
            &[
                solved(100.0, 10993.0),
                solved(100.0, 22036.0),
                solved(96.0, 27384.0),
            ],
        ),
        quoted(
            "GPU-GA",
            &["gpu-ga"],
            &[
                solved(100.0, 9072.0),
                solved(100.0, 13481.0),
                solved(100.0, 22799.0),
            ],
        ),
        quoted(
            "GA-I",
            &["ga"],
            &[
                solved(98.0, 25257.0),
                solved(90.0, 40365.0),
                solved(62.0, 62283.0),
            ],
        ),
    ],
    errors: &[
        "A success count \"within 10^4 generations\" does not go with averages of 10,993 to 62,283 \
         generations: the quoted columns are from papers with a limit of 10^5.",
        "Sudoku Explainer gives SD1, SD2 and SD3 7.2, 10.5 and 2.8, so that \"super difficult\" is not what \
         people would call SD3; the paper says so itself.",
        "The column GA-III cannot be what its source proposes: by its abstract that finds the optimum \"with one \
         population member and within one generation\". The figures are those of a genetic algorithm without it, or \
         with little of it; ga-iii is a reading of the abstract.",
    ],
};

const LSGA_4: Table = Table {
    name: "lsga-4",
    source: LSGA,
    title: "Table IV: generations by level of www.websudoku.com, 30 puzzles each",
    runs: 10,
    runs_are_published: true,
    measure: Measure::Generations,
    rows: WEBSUDOKU,
    columns: &[own(
        "LSGA",
        &["lsga"],
        &[
            spread(Some(100.0), 4.8, 9.4, 2.7),
            spread(Some(100.0), 17.3, 32.8, 6.1),
            spread(Some(100.0), 70.4, 151.1, 19.6),
            spread(Some(100.0), 107.6, 449.5, 22.6),
        ],
    )],
    errors: &[
        "The 120 puzzles were never published in text. These are stand-ins with one solution, made by \
         `generate` (9x9, --unique, seeds 2023 to 2026) with 36, 31, 28 and 26 givens: the same size of \
         problem, not the same puzzles.",
    ],
};

const LSGA_5: Table = Table {
    name: "lsga-5",
    source: LSGA,
    title: "Table V: generations by level of Sudoku Explainer, 10 puzzles each",
    runs: 10,
    runs_are_published: true,
    measure: Measure::Generations,
    rows: &[
        level("Easy", 10, 34),
        level("Medium", 10, 32),
        level("Hard", 10, 30),
        level("Superior", 10, 28),
        level("Fiendish", 10, 27),
        level("Super", 10, 26),
        level("Advance", 10, 25),
    ],
    columns: &[own(
        "LSGA",
        &["lsga"],
        &[
            spread(None, 50.02, 197.4, 3.1),
            spread(None, 132.77, 247.3, 19.6),
            spread(None, 63.82, 155.9, 11.1),
            spread(None, 99.4, 253.7, 11.5),
            spread(None, 175.23, 847.1, 17.5),
            spread(None, 158.13, 975.2, 10.2),
            spread(None, 116.78, 315.7, 43.3),
        ],
    )],
    errors: &[
        "The 70 puzzles were never published in text, and their levels are scores of Sudoku Explainer, \
         which is not part of this program. These are stand-ins with one solution, made by `generate` (9x9, \
         --unique, seeds 2023 to 2029), graded by givens from 34 down to 25: read the rows as seven sets \
         of growing size of search, not as levels of technique.",
        "The paper concludes that its levels hardly matter and that givens do (its Fig. 11); with levels \
         made of givens the second half of that shows.",
    ],
};

const NB_COIN_2: Table = Table {
    name: "nb-coin-2",
    source: NB_COIN,
    title: "Table II: average generations (\"Nfe\") on six puzzles",
    runs: 100,
    runs_are_published: true,
    measure: Measure::Generations,
    rows: SIX,
    columns: &[
        Column {
            slow: &["nb-coin:neighbours=off"],
            ..own("NB-COIN", &["nb-coin"], NB_COIN_ON_SIX)
        },
        quoted("GA (mut+cross+LS)", &["ga"], GA_ON_SIX),
    ],
    errors: &[
        "\"Nfe\", number of function evaluations, is a number of generations, as the text says; each has 150 \
         evaluations.",
        "The update as printed collapses: a restart after 25 generations without a better best is needed \
         and is not in the paper.",
        "\"Partially influenced by their neighbourhood models\" is read as: blocks are sampled one after \
         another, without the digits that stand in the row or column already. This needs far fewer \
         generations than published on the harder puzzles; without it (nb-coin:neighbours=off) far more.",
        "The GA's column is quoted from Sato & Inoue.",
    ],
};

const AH_LSGA_5: Table = Table {
    name: "ah-lsga-5",
    source: AH_LSGA,
    title: "Table 5: average generations on six puzzles",
    runs: 100,
    runs_are_published: false,
    measure: Measure::Generations,
    rows: &[
        puzzle("Easy 1", "easy-1"),
        puzzle("Easy 2", "easy-11"),
        puzzle("Medium 1", "medium-27"),
        puzzle("Medium 2", "medium-29"),
        puzzle("Hard 1", "hard-77"),
        puzzle("Hard 2", "hard-106"),
    ],
    columns: &[
        quoted(
            "GA",
            &["ga"],
            &[
                average(62.0),
                average(137.0),
                average(910.0),
                average(3193.0),
                average(9482.0),
                average(26825.0),
            ],
        ),
        own(
            "NB-COIN",
            &["nb-coin"],
            &[
                average(6.0),
                average(8.0),
                average(28.0),
                average(57.0),
                average(210.0),
                average(480.0),
            ],
        ),
        own(
            "LSGA",
            &["lsga"],
            &[
                average(4.0),
                average(6.0),
                average(20.0),
                average(42.0),
                average(160.0),
                average(300.0),
            ],
        ),
        own(
            "Hybrid",
            &["ah-lsga", "ah-lsga:propagate=none"],
            &[
                average(4.0),
                average(4.0),
                average(15.0),
                average(30.0),
                average(120.0),
                average(220.0),
            ],
        ),
    ],
    errors: &[
        "Its puzzles are not printed. The GA column is that of Sato & Inoue on the six puzzles of the other \
         papers, so these are taken.",
        "Naked and hidden singles, its first step, solve five of the six outright: the published counts of the \
         Hybrid cannot come from a working propagation. Such runs are marked p and have 0 generations; \
         ah-lsga:propagate=none leaves propagation out.",
        "The columns of NB-COIN and LSGA are not those of their own papers (2, 4, 130, 1196, 2710, 2341 and 2, \
         6, 23, 57, 254, 1269), and nothing is said of how they were obtained.",
        "Population, rates, threshold and number of runs are not given.",
    ],
};

const AH_LSGA_6: Table = Table {
    name: "ah-lsga-6",
    source: AH_LSGA,
    title: "Table 6: success and average generations on three super difficult puzzles",
    runs: 100,
    runs_are_published: false,
    measure: Measure::Generations,
    rows: SUPER_DIFFICULT,
    columns: &[
        own(
            "LSGA",
            &["lsga"],
            &[
                solved(100.0, 420.0),
                solved(100.0, 610.0),
                solved(92.0, 2100.0),
            ],
        ),
        own(
            "Hybrid",
            &["ah-lsga", "ah-lsga:propagate=none"],
            &[
                solved(100.0, 290.0),
                solved(100.0, 430.0),
                solved(100.0, 1500.0),
            ],
        ),
    ],
    errors: &[
        "LSGA's own paper has 424, 538 and 3926 generations, and 100 % on SD3 where this one has 92 %.",
        "Searching only on stagnation does not save generations: see docs/algorithms/ah-lsga.md for thresholds of 1, 3 and 10. \
         What the Hybrid gains, it gains by propagation.",
        "Number of runs, population, rates and threshold are not given.",
    ],
};

const AH_LSGA_7: Table = Table {
    name: "ah-lsga-7",
    source: AH_LSGA,
    title: "Table 7: generations by level",
    runs: 10,
    runs_are_published: false,
    measure: Measure::Generations,
    rows: WEBSUDOKU,
    columns: &[own(
        "Hybrid",
        &["ah-lsga", "ah-lsga:propagate=none"],
        &[
            spread(None, 5.2, 9.0, 2.0),
            spread(None, 21.4, 38.0, 8.0),
            spread(None, 82.6, 160.0, 25.0),
            spread(None, 140.3, 420.0, 40.0),
        ],
    )],
    errors: &[
        "Puzzles and runs are not given; the levels are those of LSGA's Table IV, and so are the stand-ins \
         (`generate`, 9x9, --unique, seeds 2023 to 2026; 36, 31, 28 and 26 givens).",
        "Easy puzzles in 2 to 9 generations: with propagation, as described, easy puzzles need none at all.",
        "The means are above those of LSGA in its own Table IV (4.8, 17.3, 70.4, 107.6), which the Hybrid is \
         said to improve on.",
    ],
};

const FPCHS: Table = Table {
    name: "fpchs",
    source: FPCHS_PAPER,
    title: "Examples 1 to 3: evaluations to a solution",
    runs: 70,
    runs_are_published: true,
    measure: Measure::Evaluations,
    rows: &[
        puzzle("Example 1", "fpchs-1"),
        puzzle("Example 2", "fpchs-2"),
        puzzle("Example 3", "fpchs-3"),
    ],
    columns: &[
        quoted(
            "HS (Geem)",
            &["hs"],
            &[
                average(285.0),
                Figure {
                    success: Some(0.0),
                    ..NOTHING
                },
                NOTHING,
            ],
        ),
        own(
            "FPCHS",
            &[
                "fpchs",
                "fpchs:objective=sum:domain=any:hmcr-min=0:distinct=off",
            ],
            &[average(76.0), average(237.0), average(281.0)],
        ),
    ],
    errors: &[
        "The objective Z, right sums in all rows, columns and boxes, does not make a Sudoku: invalid grids have \
         Z = 0. Success is decided by the rules here, never by Z.",
        "76, 237 and 281 evaluations are not credible: 50 of them only fill the memory. Weyland (2015) has \
         shown the same of Geem's 285.",
        "fpchs is the repaired form: candidates instead of all digits, missing digits instead of sums, HMCR in \
         [.7, 1], no grid twice. The long name is the published form.",
    ],
};

const fn queens(label: &'static str, size: usize) -> Row {
    row(label, Problems::Queens(size))
}

const QUEENS_1: Table = Table {
    name: "queens-1",
    source: QUEENS_PAPER,
    title: "Table 1: evaluations to a solution of n queens",
    runs: 10,
    runs_are_published: false,
    measure: Measure::Evaluations,
    rows: &[
        queens("8", 8),
        queens("20", 20),
        queens("50", 50),
        queens("100", 100),
        queens("200", 200),
        queens("500", 500),
    ],
    columns: &[
        own(
            "HPSOGA",
            &["hpsoga"],
            &[
                average(235.0),
                average(5964.5),
                average(25789.1),
                average(99032.8),
                average(195_643.0),
                average(243_786.3),
            ],
        ),
        own(
            "CGA",
            &["cga"],
            &[
                average(288.0),
                average(5669.7),
                average(14991.4),
                average(103_439.9),
                average(195_657.6),
                average(306_799.4),
            ],
        ),
        own(
            "HGSAGA",
            &["hgsaga"],
            &[
                average(202.0),
                average(6024.0),
                average(11227.0),
                average(98208.2),
                average(240_991.0),
                average(423_765.0),
            ],
        ),
        own(
            "HGASA",
            &["hgasa"],
            &[
                average(391.0),
                average(2043.0),
                average(9879.0),
                average(44578.0),
                average(96747.0),
                average(132_987.0),
            ],
        ),
    ],
    errors: &[
        "The paper is about the torus, but n queens fit an n x n torus if and only if gcd(n, 6) = 1 (Polya \
         1918): none of its six sizes. At most 6, 18, 49, 98, 198 and 498 fit (Monsky 1989). The table fits the \
         ordinary board, on which these runs are.",
        "The abstract has 188, 402 and 391 iterations for 20 queens, the table 5,964.5, 6,024 and 2,043; its \
         first row is given in the text as that of \"iterations\", \"moves\" and evaluations in turn.",
        "The number of runs is not given.",
    ],
};
