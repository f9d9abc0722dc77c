/* Events, which are waited for, and GPM, whose figures need two samples. */

#include "nvml_stub.h"

#include <stdlib.h>
#include <string.h>

#define XID_EVENT 0x8u

struct event_set { /* per card, what it listens to */
    u64 types[MOST_CARDS];
};

struct event {
    handle device;
    u64 type, data;
    unsigned int gpu_instance, compute_instance;
};

static atomic_long held; /* event sets and GPM samples that nobody freed */

/* A driver that has lost its mind sees nothing freed that it says it no longer knows. */
static void hold(long more) { atomic_fetch_add(&held, machine.fuzz ? 0 : more); }

EXPORT long stub_held(void);
EXPORT long stub_held(void) { return atomic_load(&held); }

CALL(nvmlEventSetCreate, struct event_set **set) {
    ENTER(nvmlEventSetCreate);
    REQUIRE(set);
    *set = calloc(1, sizeof **set);
    if (!*set)
        return OUT_OF_MEMORY;
    hold(1);
    return OK;
}

CALL(nvmlEventSetFree, struct event_set *set) {
    ENTER(nvmlEventSetFree);
    REQUIRE(set);
    hold(-1);
    free(set);
    return OK;
}

CARD_NUMBER(nvmlDeviceGetSupportedEventTypes, u64, 0x1F)

CALL(nvmlDeviceRegisterEvents, handle device, u64 types, struct event_set *set) {
    ENTER_CARD(nvmlDeviceRegisterEvents, device);
    REQUIRE(set);
    set->types[stub_index_of(card)] |= types;
    return OK;
}

static int take_xid(const struct event_set *set, struct event *event) {
    for (int i = 0; i < machine.cards; i++) {
        struct card *card = &machine.card[i];
        if (!(set->types[i] & XID_EVENT) || card->xid_count == 0)
            continue;
        *event = (struct event){stub_handle_of(i, -1), XID_EVENT, card->xids[0], 0xFFFFFFFFu,
                                0xFFFFFFFFu};
        event->data = (u64)stub_told((long long)event->data);
        stub_draw_bytes(event, sizeof *event);
        card->xid_count--;
        memmove(card->xids, card->xids + 1, (size_t)card->xid_count * sizeof *card->xids);
        return 1;
    }
    return 0;
}

/* Gives the oldest event of any card listened to, also one from before it was listened to. */
static answer wait_for(const struct event_set *set, struct event *event, unsigned int ms) {
    REQUIRE(set && event);
    u64 deadline = stub_real_us() + (u64)ms * 1000u; /* whatever clock the cards go by */
    answer result = TIMED_OUT;
    stub_lock();
    for (int waiting = 1; waiting;) {
        if (stub_driver_gone()) {
            result = DRIVER_NOT_LOADED;
            break;
        }
        if (take_xid(set, event)) {
            result = OK;
            break;
        }
        waiting = stub_wait(deadline);
    }
    stub_unlock();
    return result;
}

CALL(nvmlEventSetWait, struct event_set *set, struct event *event, unsigned int ms) {
    ENTER(nvmlEventSetWait);
    return wait_for(set, event, ms);
}

CALL(nvmlEventSetWait_v2, struct event_set *set, struct event *event, unsigned int ms) {
    ENTER(nvmlEventSetWait_v2);
    return wait_for(set, event, ms);
}

#ifndef OLD_DRIVER

#define MOST_GPM_METRICS 477
#define GPM_VERSION 1u

struct gpm_sample {
    const struct card *card; /* NULL: nothing sampled yet */
    u64 timestamp_us;
};

struct gpm_metric {
    unsigned int id;
    answer answer;
    double value;
    const char *short_name, *long_name, *unit;
};

struct gpm_metrics {
    unsigned int version, count;
    struct gpm_sample *first, *second;
    struct gpm_metric metrics[MOST_GPM_METRICS];
};

struct gpm_support {
    unsigned int version, supported;
};

CALL(nvmlGpmQueryDeviceSupport, handle device, struct gpm_support *support) {
    ENTER_CARD(nvmlGpmQueryDeviceSupport, device);
    REQUIRE(support);
    if (support->version != GPM_VERSION)
        return ARGUMENT_VERSION_MISMATCH;
    GIVE(&support->supported, card->gpm);
    return OK;
}

CALL(nvmlGpmSampleAlloc, struct gpm_sample **sample) {
    ENTER(nvmlGpmSampleAlloc);
    REQUIRE(sample);
    *sample = calloc(1, sizeof **sample);
    if (!*sample)
        return OUT_OF_MEMORY;
    hold(1);
    return OK;
}

CALL(nvmlGpmSampleFree, struct gpm_sample *sample) {
    ENTER(nvmlGpmSampleFree);
    REQUIRE(sample);
    hold(-1);
    free(sample);
    return OK;
}

static answer sample_now(const struct card *card, struct gpm_sample *sample) {
    REQUIRE(sample);
    if (!card->gpm)
        return NOT_SUPPORTED;
    *sample = (struct gpm_sample){card, stub_now_us()};
    return OK;
}

CALL(nvmlGpmSampleGet, handle device, struct gpm_sample *sample) {
    ENTER_CARD(nvmlGpmSampleGet, device);
    if (stub_mig_on(card))
        return NOT_SUPPORTED;
    return sample_now(card, sample);
}

CALL(nvmlGpmMigSampleGet, handle device, unsigned int gpu_instance, struct gpm_sample *sample) {
    ENTER_CARD(nvmlGpmMigSampleGet, device);
    if (!stub_mig_on(card))
        return NOT_SUPPORTED;
    REQUIRE(gpu_instance >= 1 && gpu_instance <= MOST_SLICES);
    if (!(card->mig_mask >> (gpu_instance - 1) & 1))
        return NOT_FOUND;
    return sample_now(card, sample);
}

static answer give_metric(const struct card *card, struct gpm_metric *metric) {
    double util = (double)card->util, nvlink = (double)card->nvlink_rate / (1 << 20);
    metric->short_name = metric->long_name = "stub";
    metric->unit = "%";
    switch (metric->id) {
    case 1: metric->value = util; break;
    case 2: metric->value = util * 0.8; break;  /* SM activity */
    case 3: metric->value = util * 0.5; break;  /* occupancy */
    case 5: metric->value = util * 0.25; break; /* tensor activity */
    case 10: metric->value = (double)card->memory_util; break;
    case 20: metric->value = (double)card->pcie_tx / (1 << 20); break;
    case 21: metric->value = (double)card->pcie_rx / (1 << 20); break;
    case 60: metric->value = nvlink * 9.0; break;
    case 61: metric->value = nvlink * 18.0; break;
    default: return NOT_SUPPORTED;
    }
    metric->value = stub_told_real(metric->value);
    return OK;
}

CALL(nvmlGpmMetricsGet, struct gpm_metrics *wanted) {
    ENTER(nvmlGpmMetricsGet);
    REQUIRE(wanted);
    if (wanted->version != GPM_VERSION)
        return ARGUMENT_VERSION_MISMATCH;
    REQUIRE(wanted->count <= MOST_GPM_METRICS && wanted->first && wanted->second);
    REQUIRE(wanted->first->card && wanted->first->card == wanted->second->card);
    REQUIRE(wanted->first->timestamp_us <= wanted->second->timestamp_us);
    int index = stub_index_of(wanted->first->card);
    for (unsigned int i = 0; i < wanted->count; i++) {
        answer refusal = stub_meet_faults(&symbol_nvmlGpmMetricsGet, 0, index);
        wanted->metrics[i].answer =
            refusal != OK ? refusal : give_metric(wanted->first->card, &wanted->metrics[i]);
    }
    return OK;
}

#endif
