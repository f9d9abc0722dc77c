/* Programs on a card, samples of the recent past, and MIG devices. */

#include "nvml_stub.h"

#include <string.h>

struct process_v1 {
    unsigned int pid;
    u64 memory;
};
struct process_v2 { /* the third version too, but for 535.43 to 535.86 */
    unsigned int pid;
    u64 memory;
    unsigned int gpu_instance, compute_instance;
};
struct process_of_535 { /* what the third version was in the first drivers that had it */
    unsigned int pid;
    u64 memory;
    unsigned int gpu_instance, compute_instance;
    u64 protected_memory;
};
struct use_sample {
    unsigned int pid;
    u64 timestamp_us;
    unsigned int sm, memory, encoder, decoder;
};
struct use_sample_v1 {
    u64 timestamp_us;
    unsigned int pid, sm, memory, encoder, decoder, jpeg, ofa;
};
struct use_samples {
    unsigned int version, count;
    u64 last_seen_us;
    struct use_sample_v1 *samples;
};
struct sample {
    u64 timestamp_us;
    union {
        double real;
        unsigned int number;
        u64 big;
    } value;
};
struct attributes {
    unsigned int multiprocessors, copy_engines, decoders, encoders, jpegs, ofas;
    unsigned int gpu_slices, compute_slices;
    u64 memory_mib;
};

#define NO_INSTANCE 0xFFFFFFFFu
#define UNKNOWN_MEMORY (~(u64)0)

/* Below what Linux can count to, and beyond what it has counted to anywhere yet. */
unsigned int stub_made_up_pid(int card, int process) {
    return 4180000u + 100u * (unsigned)card + (unsigned)process;
}

u64 stub_process_memory(const struct card *card, int process) {
    if (card->process_memory)
        return (u64)card->process_memory;
    return card->wddm ? UNKNOWN_MEMORY : (u64)(process + 1) << 28; /* 256 MiB, 512 MiB, … */
}

/* With MIG on, programs are dealt out to the slices in turn. */
static int slice_of(const struct card *card, int process) {
    int slices = stub_slices(card);
    if (!slices)
        return -1;
    int nth = process % slices;
    for (int slice = 0; slice < MOST_SLICES; slice++)
        if ((card->mig_mask >> slice & 1) && nth-- == 0)
            return slice;
    return -1;
}

/* Fills either layout; the caller asks for the size with too little room first. */
static answer list(const struct card *card, int slice, const char *uses, unsigned int *count,
                   void *room, int version) {
    REQUIRE(count);
    struct process_v2 found[MOST_PROCESSES];
    unsigned int n = 0;
    for (int j = 0; j < card->process_count; j++) {
        int at = slice_of(card, j);
        if (!strchr(uses, card->processes[j].use) || (slice >= 0 && at != slice))
            continue;
        struct process_v2 *one = &found[n++];
        memset(one, 0, sizeof *one);
        GIVE(&one->pid, card->processes[j].pid);
        GIVE(&one->memory, (long long)stub_process_memory(card, j));
        GIVE(&one->gpu_instance, at < 0 ? NO_INSTANCE : (unsigned int)at + 1);
        GIVE(&one->compute_instance, at < 0 ? NO_INSTANCE : 0);
    }
    unsigned int space = *count;
    *count = card->told_count ? (unsigned int)card->told_count : stub_drawn_count(n);
    if (n > space)
        return INSUFFICIENT_SIZE;
    REQUIRE(n == 0 || room);
    int of_535 = version == 3 && stub_driver_since(535, 43) && !stub_driver_since(535, 98);
    for (unsigned int i = 0; i < n; i++)
        if (version == 1)
            ((struct process_v1 *)room)[i] = (struct process_v1){found[i].pid, found[i].memory};
        else if (of_535)
            ((struct process_of_535 *)room)[i] =
                (struct process_of_535){found[i].pid, found[i].memory, found[i].gpu_instance,
                                        found[i].compute_instance, 0};
        else
            ((struct process_v2 *)room)[i] = found[i];
    return OK;
}

#define PROCESSES(name_, uses_, version_)                                                      \
    CALL(name_, handle device, unsigned int *count, void *room) {                              \
        ENTER_CARD_OR_SLICE(name_, device);                                                    \
        return list(card, slice, uses_, count, room, version_);                                \
    }

PROCESSES(nvmlDeviceGetComputeRunningProcesses, "cb", 1)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses, "gb", 1)
PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses, "m", 1)
#ifndef OLD_DRIVER
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v2, "cb", 2)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v2, "gb", 2)
PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v2, "m", 2)
PROCESSES(nvmlDeviceGetComputeRunningProcesses_v3, "cb", 3)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3, "gb", 3)
PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v3, "m", 3)
#endif

/* As real drivers do it: out of order, one sample stale, one impossible, one of tomorrow,
 * one of a stranger. */
static unsigned int sample_use(const struct card *card, u64 since_us,
                               struct use_sample_v1 found[MOST_PROCESSES + 4]) {
    const unsigned int stranger = 4179999;
    u64 now = stub_now_us();
    unsigned int n = 0, programs = (unsigned int)card->process_count;
    struct use_sample_v1 all[MOST_PROCESSES + 4];
    if (!programs)
        return 0;
    unsigned int first = card->processes[0].pid;
    unsigned int sm = (unsigned int)card->util / programs;
    all[n++] = (struct use_sample_v1){now - 900000, first, 99, 99, 99, 99, 0, 0};
    all[n++] = (struct use_sample_v1){now - 10000, first, 250, 250, 250, 250, 0, 0};
    all[n++] = (struct use_sample_v1){now + 86400000000u, first, 97, 97, 97, 97, 0, 0};
    for (unsigned int j = 0; j < programs; j++)
        all[n++] = (struct use_sample_v1){
            .timestamp_us = now - 20000 - 10000 * j,
            .pid = card->processes[j].pid,
            .sm = sm,
            .memory = (unsigned int)card->memory_util / programs,
            .encoder = j,
            .decoder = j + 1,
        };
    all[n++] = (struct use_sample_v1){now - 15000, stranger, 5, 5, 0, 0, 0, 0};
    unsigned int kept = 0;
    for (unsigned int i = 0; i < n; i++)
        if (all[i].timestamp_us > since_us)
            found[kept++] = all[i];
    return kept;
}

CALL(nvmlDeviceGetProcessUtilization, handle device, struct use_sample *samples,
     unsigned int *count, u64 since_us) {
    ENTER_CARD(nvmlDeviceGetProcessUtilization, device);
    REQUIRE(count);
    if (stub_mig_on(card))
        return NOT_SUPPORTED;
    struct use_sample_v1 found[MOST_PROCESSES + 4];
    unsigned int n = sample_use(card, since_us, found), space = *count;
    *count = card->told_count ? (unsigned int)card->told_count : stub_drawn_count(n);
    if (n == 0)
        return NOT_FOUND;
    if (!samples || space < n)
        return INSUFFICIENT_SIZE;
    stub_draw_bytes(found, n * sizeof *found);
    for (unsigned int i = 0; i < n; i++)
        samples[i] = (struct use_sample){found[i].pid,    found[i].timestamp_us, found[i].sm,
                                         found[i].memory, found[i].encoder,      found[i].decoder};
    return OK;
}

#ifndef OLD_DRIVER
CALL(nvmlDeviceGetProcessesUtilizationInfo, handle device, struct use_samples *samples) {
    ENTER_CARD(nvmlDeviceGetProcessesUtilizationInfo, device);
    REQUIRE(samples);
    if (samples->version != (sizeof *samples | 1u << 24))
        return ARGUMENT_VERSION_MISMATCH;
    if (stub_mig_on(card))
        return NOT_SUPPORTED;
    struct use_sample_v1 found[MOST_PROCESSES + 4];
    unsigned int n = sample_use(card, samples->last_seen_us, found);
    unsigned int space = samples->count;
    samples->count = n;
    if (n == 0)
        return NOT_FOUND;
    if (!samples->samples || space < n)
        return INSUFFICIENT_SIZE;
    memcpy(samples->samples, found, n * sizeof *found);
    return OK;
}
#endif

static long long sampled(const struct card *card, unsigned int type) {
    const long long values[] = {card->power,   card->util,      card->memory_util,
                                card->encoder, card->decoder,   card->clock_sm,
                                card->clock_memory, ABSENT,     card->jpeg,
                                card->ofa};
    return values[type];
}

/* Twenty samples, 20 ms apart, starting in the middle of a ring. */
CALL(nvmlDeviceGetSamples, handle device, unsigned int type, u64 since_us,
     unsigned int *value_type, unsigned int *count, struct sample *samples) {
    enum { RING = 20, MIDDLE = 7 };
    ENTER_CARD(nvmlDeviceGetSamples, device);
    REQUIRE(type < 10 && value_type && count);
    long long value = sampled(card, type);
    if (value == ABSENT || stub_mig_on(card))
        return NOT_SUPPORTED;
    *value_type = 1;
    if (!samples) {
        *count = RING;
        return OK;
    }
    u64 now = stub_now_us();
    unsigned int n = 0;
    for (unsigned int i = 0; i < RING && n < *count; i++) {
        u64 at = now - 20000u * ((i + MIDDLE) % RING);
        if (at <= since_us)
            continue;
        samples[n].timestamp_us = at;
        samples[n].value.big = 0;
        samples[n++].value.number = (unsigned int)stub_told(value);
    }
    *count = stub_drawn_count(n);
    return n ? OK : NOT_FOUND;
}

CALL(nvmlDeviceGetMigMode, handle device, unsigned int *current, unsigned int *pending) {
    ENTER_CARD(nvmlDeviceGetMigMode, device);
    GIVE(current, card->mig_capable ? stub_mig_on(card) : ABSENT);
    GIVE(pending, stub_mig_on(card));
    return OK;
}

CARD_NUMBER(nvmlDeviceGetMaxMigDeviceCount, unsigned int, stub_mig_on(card) ? MOST_SLICES : 0)

CALL(nvmlDeviceGetMigDeviceHandleByIndex, handle device, unsigned int index, handle *slice) {
    ENTER_CARD(nvmlDeviceGetMigDeviceHandleByIndex, device);
    REQUIRE(slice);
    if (!stub_mig_on(card))
        return NOT_SUPPORTED;
    REQUIRE(index < MOST_SLICES);
    if (!(card->mig_mask >> index & 1))
        return NOT_FOUND;
    *slice = stub_handle_of(stub_index_of(card), (int)index);
    stub_draw_bytes(slice, sizeof *slice);
    return OK;
}

CALL(nvmlDeviceGetDeviceHandleFromMigDeviceHandle, handle device, handle *parent) {
    ENTER_CARD_OR_SLICE(nvmlDeviceGetDeviceHandleFromMigDeviceHandle, device);
    REQUIRE(parent && slice >= 0);
    *parent = stub_handle_of(stub_index_of(card), -1);
    return OK;
}

CALL(nvmlDeviceIsMigDeviceHandle, handle device, unsigned int *is_slice) {
    ENTER_CARD_OR_SLICE(nvmlDeviceIsMigDeviceHandle, device);
    GIVE(is_slice, slice >= 0);
    return OK;
}

CALL(nvmlDeviceGetGpuInstanceId, handle device, unsigned int *id) {
    ENTER_CARD_OR_SLICE(nvmlDeviceGetGpuInstanceId, device);
    GIVE(id, slice < 0 ? ABSENT : slice + 1);
    return OK;
}

CALL(nvmlDeviceGetComputeInstanceId, handle device, unsigned int *id) {
    ENTER_CARD_OR_SLICE(nvmlDeviceGetComputeInstanceId, device);
    GIVE(id, slice < 0 ? ABSENT : 0);
    return OK;
}

static answer give_attributes(const struct card *card, int slice, struct attributes *attributes) {
    REQUIRE(attributes);
    if (slice < 0)
        return NOT_SUPPORTED;
    *attributes = (struct attributes){
        .multiprocessors = 16,
        .copy_engines = 1,
        .decoders = 1,
        .jpegs = 1,
        .gpu_slices = 1,
        .compute_slices = 1,
        .memory_mib = (u64)(card->total / stub_slices(card)) >> 20,
    };
    return OK;
}

CALL(nvmlDeviceGetAttributes, handle device, struct attributes *attributes) {
    ENTER_CARD_OR_SLICE(nvmlDeviceGetAttributes, device);
    return give_attributes(card, slice, attributes);
}

CALL(nvmlDeviceGetAttributes_v2, handle device, struct attributes *attributes) {
    ENTER_CARD_OR_SLICE(nvmlDeviceGetAttributes_v2, device);
    return give_attributes(card, slice, attributes);
}
