"""Positions for measurements: openings, middlegames and endings from typical play."""

SAMPLES = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "2rq1rk1/pb1nbppp/1p2pn2/3p4/3P1B2/2NBPN2/PP3PPP/R2QR1K1 w - - 0 12",
    "8/5pk1/4p1p1/3pP2p/3P1P1P/1r4P1/5RK1/8 w - - 0 40",
    "3r1rk1/1bq1bppp/p2ppn2/1p6/3BPP2/P1N2B2/1PPQ2PP/4RRK1 b - - 0 15",
    "r1bqk2r/ppp2ppp/2n5/3np1N1/1bB5/2N5/PPPP1PPP/R1BQK2R w KQkq - 0 7",
    "6k1/1p3pp1/p1pb3p/3p4/3P2q1/2PB2P1/PP3PKP/4Q3 w - - 0 28",
    "8/8/1p1k4/p1p2p2/P1P2P1p/1P1K3P/8/8 w - - 0 45",
    "5rk1/2q2ppp/p2bp3/1p1n4/3Q4/1B2B3/PP3PPP/3R2K1 w - - 0 22",
)
