// Connect Four on 7x6 solved in C++, by the recipe that open solvers share: bitboards, null windows, threats that force
// replies, columns ordered by the threats they make, a table of bounds in which 32 bits of a position are enough
// because the number of slots is odd (Chinese remainders).
//
// Usage: connect_four MEGABYTES COLUMNS...   Prints nodes, seconds, and for each position its score: 43 less the number
// of stones at the end for a win, the negative for a loss, 0 for a draw.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

using Board = uint64_t;
constexpr int WIDTH = 7, HEIGHT = 6, CELLS = WIDTH * HEIGHT, STEP = HEIGHT + 1;
constexpr Board ONE = 1;

constexpr Board row_of_bottoms() {
    Board found = 0;
    for (int c = 0; c < WIDTH; c++) found |= ONE << c * STEP;
    return found;
}
constexpr Board BOTTOMS = row_of_bottoms(), ALL = BOTTOMS * ((ONE << HEIGHT) - 1);
constexpr Board column(int c) { return ((ONE << HEIGHT) - 1) << c * STEP; }
constexpr int MIDDLE_FIRST[WIDTH] = {3, 2, 4, 1, 5, 0, 6};

struct Entry {
    uint32_t key;
    int8_t low, high;
};
static std::vector<Entry> table;
static uint64_t nodes;

// The empty cells that would complete four of `stones`.
static Board threats(Board stones, Board filled) {
    Board found = stones << 1 & stones << 2 & stones << 3;
    for (int d = HEIGHT; d <= HEIGHT + 2; d++) {
        Board before = stones << d & stones << 2 * d, behind = stones >> d & stones >> 2 * d;
        found |= (before & (stones << 3 * d | stones >> d)) | (behind & (stones >> 3 * d | stones << d));
    }
    return found & ALL & ~filled;
}

// Whether the score is above or below the null window; the side to move has no immediate win.
static int search(Board mine, Board filled, int stones, int alpha, int beta) {
    nodes++;
    Board open = (filled + BOTTOMS) & ALL, danger = threats(mine ^ filled, filled), forced = open & danger;
    Board safe = (forced ? forced : open) & ~(danger >> 1);
    int lost = -(CELLS + 1 - (stones + 2));
    if (!safe || forced & (forced - 1)) return lost;
    if (stones >= CELLS - 2) return 0;
    int low = lost + 2, high = -lost - 1;
    Board key = mine + filled;
    Entry& entry = table[key % table.size()];
    if (entry.key == uint32_t(key) && entry.low <= entry.high) {
        if (entry.low > low) low = entry.low;
        if (entry.high < high) high = entry.high;
    }
    if (low >= beta) return low;
    if (high <= alpha) return high;
    Board moves[WIDTH];
    int worth[WIDTH], count = 0;
    for (int c : MIDDLE_FIRST)
        if (Board move = safe & column(c)) {
            int w = __builtin_popcountll(threats(mine | move, filled | move)), i = count++;
            for (; i > 0 && worth[i - 1] < w; i--) moves[i] = moves[i - 1], worth[i] = worth[i - 1];
            moves[i] = move, worth[i] = w;
        }
    int best = -CELLS;
    for (int i = 0; i < count && best < beta; i++) {
        int value = -search(mine ^ filled, filled | moves[i], stones + 1, -beta, -alpha);
        if (value > best) best = value;
    }
    if (best >= beta) low = best; else high = best;
    Entry& place = table[key % table.size()];
    place = {uint32_t(key), int8_t(low), int8_t(high)};
    return best;
}

// The exact score: first whether it is won, then lost, then by bisection.
static int solve(Board mine, Board filled, int stones) {
    if (threats(mine, filled) & (filled + BOTTOMS)) return CELLS + 1 - (stones + 1);
    int low = -(CELLS + 1), high = CELLS + 1;
    while (low < high) {
        int goal = low < 0 && high > 0 ? (high == CELLS + 1 ? 1 : 0) : (low + high + 1) / 2;
        if (goal <= low) goal = low + 1;
        int value = search(mine, filled, stones, goal - 1, goal);
        if (value >= goal) low = value; else high = value;
    }
    return low;
}

int main(int count, char** arguments) {
    table.assign(std::atol(arguments[1]) * (1 << 20) / sizeof(Entry) | 1, Entry{0, 1, 0});
    std::vector<int> scores;
    clock_t start = clock();
    for (int i = 2; i < count; i++) {
        Board mine = 0, filled = 0;
        int stones = 0;
        for (char* c = arguments[i]; *c; c++, stones++) {
            mine ^= filled;
            filled |= filled + (ONE << (*c - '1') * STEP);
        }
        scores.push_back(solve(mine, filled, stones));
    }
    std::printf("%llu %.6f", (unsigned long long)nodes, double(clock() - start) / CLOCKS_PER_SEC);
    for (int score : scores) std::printf(" %d", score);
    std::printf("\n");
}
