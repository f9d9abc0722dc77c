/* Answers drawn at random: a driver that has lost its mind, within the buffers it was handed. */

#include "nvml_stub.h"

#include <string.h>

enum mood { TRUTHFUL, NEARLY, WILD };

/* A card is asked by one thread at a time, so that each has its own row of answers. */
static atomic_ullong drawn[MOST_CARDS + 1];
static _Thread_local int row;
static _Thread_local enum mood mood; /* of the call in progress */

void stub_seed(long long seed) {
    staged.fuzz = seed;
    for (int i = 0; i <= MOST_CARDS; i++)
        atomic_store(&drawn[i], 0);
}

static u64 draw(void) {
    u64 x = ((u64)machine.fuzz << 8 | (u64)row) * 0x9E3779B97F4A7C15u;
    x += atomic_fetch_add(&drawn[row], 1) * 0xD1342543DE82EF95u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static int one_in(u64 number) { return machine.fuzz && draw() % number == 0; }

/* Giving back what was made is answered truly, or a test could not see what a program leaks. */
static int gives_back(const char *name) {
    return strstr(name, "Free") || strcmp(name, "nvmlShutdown") == 0;
}

answer stub_drawn_answer(const struct symbol *symbol, int card) {
    static const answer refusals[] = {INVALID_ARGUMENT, NOT_SUPPORTED, NO_PERMISSION, NOT_FOUND,
                                      INSUFFICIENT_SIZE, TIMED_OUT, NO_DATA, UNKNOWN,
                                      ARGUMENT_VERSION_MISMATCH, 12345, UNWRITTEN, UNWRITTEN};
    static const answer ends[] = {GPU_IS_LOST, UNINITIALIZED, DRIVER_NOT_LOADED, VERSION_MISMATCH};
    row = card + 1;
    u64 at = draw() % 8;
    mood = at < 3 ? TRUTHFUL : at < 6 ? NEARLY : WILD;
    if (symbol && gives_back(symbol->name))
        return OK;
    if (one_in(500))
        return ends[draw() % (sizeof ends / sizeof *ends)];
    return one_in(12) ? refusals[draw() % (sizeof refusals / sizeof *refusals)] : OK;
}

long long stub_drawn(long long truth) {
    static const long long wild[] = {0, 1, -1, 2, 100, 101, 255, 65535, 0x7FFFFFFF, 0x80000000,
                                     0xFFFFFFFE, 0xFFFFFFFF, 0x100000000, LLONG_MAX, LLONG_MIN + 1};
    const long long near[] = {truth / 2, truth * 2, truth + 1, truth - 1, -truth, 0, truth * 1000};
    u64 at = draw();
    if (!machine.fuzz || mood == TRUTHFUL)
        return truth;
    if (mood == NEARLY)
        return at % 2 ? truth : near[at / 2 % (sizeof near / sizeof *near)];
    return at % 3 ? wild[at / 3 % (sizeof wild / sizeof *wild)] : (long long)(draw() >> draw() % 64);
}

double stub_drawn_real(double truth) {
    static const double wild[] = {0.0 / 0.0, 1.0 / 0.0, -1.0 / 0.0, -1.0, 1e300, 1e-300, 0.0, 101.0};
    if (!machine.fuzz || mood == TRUTHFUL)
        return truth;
    return mood == NEARLY ? truth * (double)(draw() % 4) : wild[draw() % (sizeof wild / sizeof *wild)];
}

unsigned int stub_drawn_count(unsigned int truth) {
    return one_in(16) ? (unsigned int)stub_drawn((long long)truth) : truth;
}

/* 1: the text was written, perhaps without an end. */
int stub_drawn_text(char *buffer, unsigned int size) {
    static const char *const odd[] = {"", " ", "\x1b[31mred", "\xff\xfe\x00", "a\nb\tc", "GPU-", "0"};
    if (!one_in(6) || !size)
        return 0;
    if (one_in(2)) {
        const char *text = odd[draw() % (sizeof odd / sizeof *odd)];
        unsigned int length = (unsigned int)strlen(text) + 1;
        memcpy(buffer, text, length < size ? length : size);
        return 1;
    }
    for (unsigned int i = 0; i < size; i++)
        buffer[i] = (char)(draw() >> 8);
    return 1;
}

/* Over all that the caller handed in. */
void stub_draw_bytes(void *bytes, size_t size) {
    if (mood != WILD || !one_in(2))
        return;
    u64 fill = draw() % 3;
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)bytes)[i] = fill == 0 ? 0 : fill == 1 ? 0xFF : (unsigned char)draw();
}
