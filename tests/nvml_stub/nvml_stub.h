/* What the parts of the stand-in for NVML share: cards, handles, and the way into every call.
 *
 * The library exports NVML's names and answers from a table that a test fills. Layouts follow
 * the public Python binding; everything else is this library's own. */

#ifndef NVML_STUB_H
#define NVML_STUB_H

#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define MOST_CARDS 128
#define MOST_PROCESSES 32
#define MOST_SLICES 7
#define MOST_FIELDS 512
#define MOST_RULES 64
#define TEXT_ROOM 192
#define ABSENT LLONG_MIN /* the card does not report this: NOT_SUPPORTED */

enum {
    OK = 0,
    UNINITIALIZED = 1,
    INVALID_ARGUMENT = 2,
    NOT_SUPPORTED = 3,
    NO_PERMISSION = 4,
    NOT_FOUND = 6,
    INSUFFICIENT_SIZE = 7,
    DRIVER_NOT_LOADED = 9,
    TIMED_OUT = 10,
    LIBRARY_NOT_FOUND = 12,
    GPU_IS_LOST = 15,
    VERSION_MISMATCH = 18, /* the library is not the driver's */
    OUT_OF_MEMORY = 20,
    NO_DATA = 21,
    ARGUMENT_VERSION_MISMATCH = 25,
    UNKNOWN = 999,
    UNWRITTEN = 0x10000, /* inside here: answer OK and write nothing */
};

typedef unsigned int answer;
typedef unsigned long long u64;
typedef struct opaque_card *handle; /* a number in disguise, never an address */

struct process {
    unsigned int pid;
    char use; /* 'c' compute, 'g' graphics, 'b' both, 'm' through MPS */
};

/* Every number is settable by its name; see `numbers` in config.c. */
struct card {
    char name[96];
    char uuid[96];
    char serial[32];
    char vbios[32];
    int process_count;
    struct process processes[MOST_PROCESSES];
    unsigned int xids[16];
    int xid_count;
    long long wddm;
    long long told_count, process_memory; /* of the process lists; 0: the truth */
    /* what it is */
    long long capability_major, capability_minor, architecture, brand, cores, bus_width, numa;
    long long device_id, mig_capable, mig_mask, gpm;
    /* use */
    long long util, memory_util, encoder, decoder, jpeg, ofa;
    /* memory, bytes */
    long long total, reserved, used, bar1_total, bar1_used;
    /* heat and power: degrees, mW, % */
    long long temp, memory_temp, margin, slowdown_temp, shutdown_temp, memory_max_temp, max_temp;
    long long power, power_average, power_instant, power_limit, power_min, power_max;
    long long power_default, fans, fan_speed, fan_rpm;
    /* clocks: MHz */
    long long clock_graphics, clock_sm, clock_memory, clock_video;
    long long max_graphics, max_sm, max_memory, max_video, pstate, reasons;
    /* wires: bytes per second where it is a rate */
    long long pcie_gen, pcie_gen_max, pcie_gen_card, pcie_width, pcie_width_max, pcie_tx, pcie_rx;
    long long c2c, c2c_speed; /* NVLink-C2C: how many, and MB/s of each */
    long long replays, nvlinks, nvlink_version, nvlink_speed, nvlink_rate, nvlink_down;
    /* health and modes */
    long long ecc_mode, ecc, ecc_bad, retired, retired_bad, retired_pending;
    long long remapped, remapped_bad, remapped_pending, remapped_failed;
    long long compute_mode, persistence, virtualization, display_active;
};

enum deed { REFUSE, ANSWER, SLOW, HANG, CRASH, EXIT, DEEDS };

struct rule {
    enum deed deed;
    char owner[12]; /* the key that brought it, and that takes it away again */
    char calls[72];
    char cards[72]; /* "": it is also about calls that name no card */
    char value[104];
};

enum wiring { WIRED_TO_SWITCH, WIRED_AS_MESH, WIRED_IN_PAIRS, WIRED_TO_NONSENSE };

struct machine {
    int cards;
    int driver_gone;
    char driver_version[32];
    answer refuse_code;
    int rule_count;
    struct rule rules[MOST_RULES];
    long long flicker_us, faults_from_us, faults_until_us;
    u64 faults_since_us;
    long long fuzz; /* the seed of answers drawn at random; 0: true ones */
    int p2p; /* the status between any two cards */
    enum wiring wiring;
    int ancestor; /* of any two cards, where it is not 0 */
    int clock_by_hand;
    long long clock_us;
    int pcie_bits; /* of the counters of bytes, which wrap */
    struct card card[MOST_CARDS];
};

extern atomic_ulong stub_field_calls[MOST_FIELDS];
extern struct machine machine;
extern struct machine staged; /* what is being configured: no call sees it half done */

/* One exported function. They stand side by side in a section of their own, which the linker
 * turns into an array, so that one that was never called is known too. */
struct symbol {
    const char *name;
    atomic_ulong calls;
    int finds_cards; /* "all" leaves it out, or there would be no card to refuse */
} __attribute__((aligned(32)));

#define HIDDEN __attribute__((visibility("hidden")))
extern struct symbol __start_nvml_symbols[] HIDDEN;
extern struct symbol __stop_nvml_symbols[] HIDDEN;

#define EXPORT __attribute__((visibility("default")))
#define SYMBOL(name_, finds_)                                                                  \
    static struct symbol symbol_##name_                                                        \
        __attribute__((section("nvml_symbols"), used)) = {.name = #name_, .finds_cards = finds_}

/* CALL(name, arguments…) { … } defines an exported function that can be counted and refused. */
#define CALL(name_, ...)                                                                       \
    SYMBOL(name_, 0);                                                                          \
    EXPORT answer name_(__VA_ARGS__);                                                          \
    EXPORT answer name_(__VA_ARGS__)
#define CALL_TO_FIND_CARDS(name_, ...)                                                         \
    SYMBOL(name_, 1);                                                                          \
    EXPORT answer name_(__VA_ARGS__);                                                          \
    EXPORT answer name_(__VA_ARGS__)

#define OR_RETURN(expression_)                                                                 \
    do {                                                                                       \
        answer answer_ = (expression_);                                                        \
        if (answer_ != OK)                                                                     \
            return answer_ == UNWRITTEN ? OK : answer_;                                        \
    } while (0)
#define REQUIRE(condition_)                                                                    \
    do {                                                                                       \
        if (!(condition_))                                                                     \
            return INVALID_ARGUMENT;                                                           \
    } while (0)

/* The first line of every call: it counts, and it is where the driver's faults live. */
#define ENTER(name_) OR_RETURN(stub_enter(&symbol_##name_))
#define ENTER_CARD(name_, handle_)                                                             \
    struct card *card = NULL;                                                                  \
    OR_RETURN(stub_enter_card(&symbol_##name_, (handle_), &card, NULL));                       \
    (void)card
/* As ENTER_CARD, for calls that MIG devices answer too: `slice` is -1 for the whole card. */
#define ENTER_CARD_OR_SLICE(name_, handle_)                                                    \
    struct card *card = NULL;                                                                  \
    int slice = -1;                                                                            \
    OR_RETURN(stub_enter_card(&symbol_##name_, (handle_), &card, &slice));                     \
    (void)card;                                                                                \
    (void)slice

/* Writes a number of the table through a caller's pointer, or explains why not. Every number
 * goes this way, so that a fault can change it. */
#define GIVE(pointer_, value_)                                                                 \
    do {                                                                                       \
        long long given_ = stub_told(value_);                                                          \
        REQUIRE(pointer_);                                                                     \
        if (given_ == ABSENT)                                                                  \
            return NOT_SUPPORTED;                                                              \
        *(pointer_) = (__typeof__(*(pointer_)))given_;                                         \
    } while (0)

/* CARD_NUMBER(name, type, expression): the many calls that ask a card for one number. */
#define CARD_NUMBER(name_, type_, expression_)                                                 \
    CALL(name_, handle device, type_ *given) {                                                 \
        ENTER_CARD(name_, device);                                                             \
        GIVE(given, expression_);                                                              \
        return OK;                                                                             \
    }

answer stub_enter(struct symbol *symbol);
answer stub_enter_card(struct symbol *symbol, handle device, struct card **card, int *slice);
void stub_count(struct symbol *symbol);
handle stub_handle_of(int index, int slice);
answer stub_card_of(handle device, struct card **card, int *slice);
int stub_index_of(const struct card *card);
answer stub_open_session(struct symbol *symbol);
answer stub_close_session(void);

int stub_driver_since(int major, int minor); /* whether this driver is that one or newer */
answer stub_give_text(char *buffer, unsigned int size, const char *text);
u64 stub_real_us(void);
u64 stub_now_us(void); /* of the clock that a test may hold */
double stub_elapsed(void); /* seconds that counters have been growing */
double stub_elapsed_at(u64 now_us);
int stub_mig_on(const struct card *card);
int stub_slices(const struct card *card);
unsigned int stub_made_up_pid(int card, int process);
u64 stub_process_memory(const struct card *card, int process);
int stub_remote_card(const struct card *card, int link); /* -1: a switch; -2: not in use */
u64 stub_nvlink_bytes(const struct card *card, int link, int receive); /* link -1: all */

int stub_set_fault(const char *key, char *value);
answer stub_code(const char *word);
int stub_names(const char *list, int number); /* whether it is in "0,3" or "all" */
int stub_faults_hold(void);
answer stub_meet_faults(const struct symbol *symbol, unsigned int field, int card);
answer stub_refusal(const struct symbol *symbol, int card);
int stub_tells_real(void); /* whether the next answer is told to be no whole number */
long long stub_told(long long truth);
double stub_told_real(double truth);
const char *stub_told_text(const char *truth, char told[TEXT_ROOM]);
void stub_seed(long long seed);
answer stub_drawn_answer(const struct symbol *symbol, int card);
long long stub_drawn(long long truth);
double stub_drawn_real(double truth);
unsigned int stub_drawn_count(unsigned int truth);
int stub_drawn_text(char *buffer, unsigned int size);
void stub_draw_bytes(void *bytes, size_t size);
unsigned long stub_releases(void);
int stub_driver_gone(void);

void stub_reset(void);
void stub_reset_card(int index, const char *kind);
void stub_apply(const char *text);
void stub_lock(void);
void stub_unlock(void);
void stub_wake_all(void);
int stub_wait(u64 until_us); /* with the lock held; 0 when the time is over */

#endif
