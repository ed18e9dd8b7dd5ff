// Plain alpha-beta on Connect Four 7x6, written by hand in C++: the reference for the compiled Python class.
//
//     alpha_beta FORM DEPTH CALLS
//
// prints the nodes below the root, the root's value and best column, and the seconds of CPU time of one call (the mean
// of CALLS). Both forms visit the same nodes in the same order as counterplay/search/textbook/alpha_beta.py: "generic" is that
// search, a template over a game that lists its actions; "fused" has the columns of Connect Four inside its loop.
//
// Positions are passed by reference: by value, g++ copies a freshly written one with a wide load, which waits for the
// narrow stores and halves the speed.

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <limits>

using u64 = std::uint64_t;

constexpr int WIDTH = 7, HEIGHT = 6;
constexpr double INFINITE = std::numeric_limits<double>::infinity();

struct State {
    u64 mine;    // stones of the side to move
    u64 filled;  // all stones
    std::int64_t ply;
    bool won;    // the last move made four in a row
};

constexpr u64 cell(int column, int row) { return u64(1) << (column * (HEIGHT + 1) + row); }

constexpr u64 columns(int first, int last) {
    u64 found = 0;
    for (int column = first; column <= last; column++)
        for (int row = 0; row < HEIGHT; row++) found |= cell(column, row);
    return found;
}

struct ConnectFour {
    static constexpr int MOST_ACTIONS = WIDTH;

    State initial() const { return {0, 0, 0, false}; }

    int actions(const State& s, int* out) const {
        int n = 0;
        for (int column = 0; column < WIDTH; column++)
            if (is_open(s, column)) out[n++] = column;
        return n;
    }

    bool is_open(const State& s, int column) const { return !(s.filled & cell(column, HEIGHT - 1)); }

    State result(const State& s, int column) const {
        u64 filled = s.filled | (s.filled + cell(column, 0));
        u64 moved = s.mine | (filled ^ s.filled);
        return {s.mine ^ s.filled, filled, s.ply + 1, has_four(moved)};
    }

    bool is_terminal(const State& s) const { return s.won || s.ply == WIDTH * HEIGHT; }

    // The value to the side to move.
    double utility(const State& s) const { return s.won ? -1.0 : 0.0; }

    // Stones near the middle column, to the side to move; the same sum as in benchmarks/speed/alpha_beta.py.
    double evaluate(const State& s) const {
        u64 theirs = s.mine ^ s.filled;
        int lead = 0;
        for (int margin = 1; margin <= 3; margin++) {
            u64 middle = columns(margin, WIDTH - 1 - margin);
            lead += std::popcount(s.mine & middle) - std::popcount(theirs & middle);
        }
        return lead / 128.0;
    }

    bool has_four(u64 stones) const {
        for (int step : {1, HEIGHT, HEIGHT + 1, HEIGHT + 2}) {
            u64 pairs = stones & (stones >> step);
            if (pairs & (pairs >> 2 * step)) return true;
        }
        return false;
    }
};

static std::int64_t nodes;

template <class Game>
double generic(const Game& game, const State& s, int depth, double alpha, double beta) {
    nodes++;
    if (game.is_terminal(s)) return game.utility(s);
    if (depth == 0) return game.evaluate(s);
    int actions[Game::MOST_ACTIONS];
    int n = game.actions(s, actions);
    double value = -INFINITE;
    for (int i = 0; i < n; i++) {
        double v = -generic(game, game.result(s, actions[i]), depth - 1, -beta, -alpha);
        if (v > value) {
            value = v;
            if (value > alpha) {
                alpha = value;
                if (alpha >= beta) break;
            }
        }
    }
    return value;
}

double fused(const ConnectFour& game, const State& s, int depth, double alpha, double beta) {
    nodes++;
    if (game.is_terminal(s)) return game.utility(s);
    if (depth == 0) return game.evaluate(s);
    double value = -INFINITE;
    for (int column = 0; column < WIDTH; column++) {
        if (!game.is_open(s, column)) continue;
        double v = -fused(game, game.result(s, column), depth - 1, -beta, -alpha);
        if (v > value) {
            value = v;
            if (value > alpha) {
                alpha = value;
                if (alpha >= beta) break;
            }
        }
    }
    return value;
}

int main(int count, char** arguments) {
    if (count != 4) {
        std::fprintf(stderr, "usage: alpha_beta generic|fused DEPTH CALLS\n");
        return 2;
    }
    bool is_fused = !std::strcmp(arguments[1], "fused");
    int depth = std::atoi(arguments[2]), calls = std::atoi(arguments[3]), best = -1;
    double value = 0;
    ConnectFour game;
    State root = game.initial();
    std::clock_t started = std::clock();
    for (int call = 0; call < calls; call++) {
        nodes = 0;
        value = -INFINITE;
        int actions[ConnectFour::MOST_ACTIONS];
        int n = game.actions(root, actions);
        for (int i = 0; i < n; i++) {
            State after = game.result(root, actions[i]);
            double v = is_fused ? -fused(game, after, depth - 1, -INFINITE, -value)
                                : -generic(game, after, depth - 1, -INFINITE, -value);
            if (v > value) {
                value = v;
                best = actions[i];
            }
        }
    }
    double seconds = double(std::clock() - started) / CLOCKS_PER_SEC / calls;
    std::printf("%lld %.17g %d %.9f\n", (long long)nodes, value, best, seconds);
}
