/* The machine's state, the way into every call with its faults, and the counting of calls. */

#define _GNU_SOURCE
#include "nvml_stub.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct machine machine;
struct machine staged;

atomic_ulong stub_field_calls[MOST_FIELDS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static atomic_ulong total_calls;
static atomic_uint sessions;
static atomic_uint generation; /* handles of another generation are dead */
static atomic_ulong releases;
static u64 loaded_us;
static const u64 START_BY_HAND_US = 1700000000000000u;

/* Handles: a mark, the generation, the slice plus one, the card's index. */
static const uintptr_t MARK = (uintptr_t)0x4E56 << 40;

u64 stub_real_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (u64)now.tv_sec * 1000000u + (u64)now.tv_nsec / 1000u;
}

u64 stub_now_us(void) {
    return machine.clock_by_hand ? START_BY_HAND_US + (u64)machine.clock_us : stub_real_us();
}

double stub_elapsed_at(u64 now_us) {
    const double head_start = 1000.0; /* so that no counter is ever zero */
    u64 began_us = machine.clock_by_hand ? START_BY_HAND_US : loaded_us;
    return head_start + (double)(long long)(now_us - began_us) / 1e6;
}

double stub_elapsed(void) { return stub_elapsed_at(stub_now_us()); }

int stub_driver_since(int major, int minor) {
    int own_major = 0, own_minor = 0;
    sscanf(machine.driver_version, "%d.%d", &own_major, &own_minor);
    return own_major > major || (own_major == major && own_minor >= minor);
}

void stub_lock(void) { pthread_mutex_lock(&lock); }
void stub_unlock(void) { pthread_mutex_unlock(&lock); }
void stub_wake_all(void) { pthread_cond_broadcast(&changed); }

int stub_wait(u64 until_us) {
    struct timespec until = {.tv_sec = (time_t)(until_us / 1000000u),
                             .tv_nsec = (long)(until_us % 1000000u) * 1000};
    return pthread_cond_timedwait(&changed, &lock, &until) != ETIMEDOUT;
}

handle stub_handle_of(int index, int slice) {
    uintptr_t age = atomic_load(&generation) & 0xFFFFFFu;
    return (handle)(MARK | age << 16 | (uintptr_t)(slice + 1) << 8 | (uintptr_t)index);
}

int stub_index_of(const struct card *card) { return (int)(card - machine.card); }

answer stub_card_of(handle device, struct card **card, int *slice) {
    uintptr_t number = (uintptr_t)device;
    int index = (int)(number & 0xFF);
    int at = (int)(number >> 8 & 0xFF) - 1;
    int known = (number & ~(uintptr_t)0xFFFF) ==
                (MARK | (uintptr_t)(atomic_load(&generation) & 0xFFFFFFu) << 16);
    REQUIRE(known && index < machine.cards);
    *card = &machine.card[index];
    REQUIRE(at < 0 || ((*card)->mig_mask >> at & 1));
    if (slice)
        *slice = at;
    else if (at >= 0)
        return NOT_SUPPORTED;
    return OK;
}

void stub_count(struct symbol *symbol) {
    atomic_fetch_add_explicit(&total_calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&symbol->calls, 1, memory_order_relaxed);
}

int stub_driver_gone(void) { return machine.driver_gone && stub_faults_hold(); }

static void forget_sessions_of_a_gone_driver(void) {
    if (stub_driver_gone() && atomic_exchange(&sessions, 0) > 0)
        atomic_fetch_add(&generation, 1);
}

static answer session_of(void) {
    forget_sessions_of_a_gone_driver();
    if (stub_driver_gone())
        return DRIVER_NOT_LOADED;
    return atomic_load(&sessions) ? OK : UNINITIALIZED;
}

answer stub_enter(struct symbol *symbol) {
    stub_count(symbol);
    OR_RETURN(session_of());
    return stub_meet_faults(symbol, 0, -1);
}

answer stub_enter_card(struct symbol *symbol, handle device, struct card **card, int *slice) {
    stub_count(symbol);
    OR_RETURN(session_of());
    answer found = stub_card_of(device, card, slice);
    if (found == INVALID_ARGUMENT)
        return found;
    OR_RETURN(stub_meet_faults(symbol, 0, stub_index_of(*card)));
    OR_RETURN(session_of()); /* the world may have changed while it hung */
    return stub_card_of(device, card, slice);
}

answer stub_open_session(struct symbol *symbol) {
    stub_count(symbol);
    if (stub_driver_gone())
        return DRIVER_NOT_LOADED;
    OR_RETURN(stub_meet_faults(symbol, 0, -1));
    stub_lock();
    if (atomic_fetch_add(&sessions, 1) == 0)
        atomic_fetch_add(&generation, 1);
    stub_unlock();
    return OK;
}

answer stub_close_session(void) {
    OR_RETURN(session_of());
    atomic_fetch_sub(&sessions, 1);
    return OK;
}

static void put_in_force(void) {
    machine = staged;
    if (!machine.faults_since_us)
        machine.faults_since_us = stub_now_us();
    forget_sessions_of_a_gone_driver();
    stub_wake_all();
}

unsigned long stub_releases(void) { return atomic_load(&releases); }

EXPORT void stub_set(const char *text);
EXPORT void stub_set(const char *text) {
    stub_lock();
    staged = machine;
    stub_apply(text);
    put_in_force();
    stub_unlock();
}

EXPORT void stub_configure(const char *text);
EXPORT void stub_configure(const char *text) {
    stub_lock();
    stub_reset();
    atomic_fetch_add(&releases, 1);
    stub_apply(text);
    put_in_force();
    stub_unlock();
}

EXPORT void stub_release(void);
EXPORT void stub_release(void) {
    stub_lock();
    staged = machine;
    stub_set_fault("hang", (char[]){"none"});
    stub_set_fault("hung", (char[]){"none"});
    machine = staged;
    atomic_fetch_add(&releases, 1);
    stub_wake_all();
    stub_unlock();
}

/* The number of unmatched nvmlInit calls: a test may ask whether a program cleans up. */
EXPORT unsigned int stub_sessions(void);
EXPORT unsigned int stub_sessions(void) { return atomic_load(&sessions); }

EXPORT unsigned long stub_calls(void);
EXPORT unsigned long stub_calls(void) { return atomic_load(&total_calls); }

EXPORT unsigned long stub_calls_of(const char *name);
EXPORT unsigned long stub_calls_of(const char *name) {
    unsigned int id;
    if (sscanf(name, "field%u", &id) == 1)
        return id < MOST_FIELDS ? atomic_load(&stub_field_calls[id]) : 0;
    for (struct symbol *at = __start_nvml_symbols; at < __stop_nvml_symbols; at++)
        if (strcmp(at->name, name) == 0)
            return atomic_load(&at->calls);
    return 0;
}

EXPORT void stub_reset_calls(void);
EXPORT void stub_reset_calls(void) {
    for (struct symbol *at = __start_nvml_symbols; at < __stop_nvml_symbols; at++)
        atomic_store(&at->calls, 0);
    for (int id = 0; id < MOST_FIELDS; id++)
        atomic_store(&stub_field_calls[id], 0);
    atomic_store(&total_calls, 0);
}

__attribute__((constructor)) static void load(void) {
    const char *text = getenv("NVML_STUB");
    loaded_us = stub_real_us();
    pthread_cond_init(&changed, NULL);
    stub_configure(text ? text : "");
}

__attribute__((destructor)) static void unload(void) {
    const char *path = getenv("NVML_STUB_COUNT");
    FILE *file = path && stub_calls() ? fopen(path, "w") : NULL;
    if (!file)
        return;
    for (struct symbol *at = __start_nvml_symbols; at < __stop_nvml_symbols; at++)
        if (atomic_load(&at->calls))
            fprintf(file, "%s %lu\n", at->name, atomic_load(&at->calls));
    fclose(file);
}
