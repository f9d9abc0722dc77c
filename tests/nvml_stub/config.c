/* The little language in which a test says what the machine is like; stub.py describes it. */

#define _GNU_SOURCE
#include "nvml_stub.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER(field_) {#field_, offsetof(struct card, field_)}

/* key=VALUE for all cards, key=CARD:VALUE for one; VALUE "none": the card does not report it. */
static const struct {
    const char *key;
    size_t offset;
} numbers[] = {
    NUMBER(capability_major), NUMBER(capability_minor), NUMBER(architecture), NUMBER(brand),
    NUMBER(cores), NUMBER(bus_width), NUMBER(numa), NUMBER(device_id), NUMBER(mig_capable),
    NUMBER(gpm), NUMBER(util), NUMBER(memory_util), NUMBER(encoder), NUMBER(decoder),
    NUMBER(jpeg), NUMBER(ofa), NUMBER(total), NUMBER(reserved), NUMBER(used),
    NUMBER(bar1_total), NUMBER(bar1_used), NUMBER(temp), NUMBER(memory_temp), NUMBER(margin),
    NUMBER(slowdown_temp), NUMBER(shutdown_temp), NUMBER(memory_max_temp), NUMBER(max_temp),
    NUMBER(power), NUMBER(power_average), NUMBER(power_instant), NUMBER(power_limit),
    NUMBER(power_min), NUMBER(power_max), NUMBER(power_default), NUMBER(fan_speed),
    NUMBER(fan_rpm), NUMBER(clock_graphics), NUMBER(clock_sm), NUMBER(clock_memory),
    NUMBER(clock_video), NUMBER(max_graphics), NUMBER(max_sm), NUMBER(max_memory),
    NUMBER(max_video), NUMBER(pstate), NUMBER(reasons), NUMBER(pcie_gen), NUMBER(pcie_gen_max),
    NUMBER(pcie_gen_card), NUMBER(pcie_width), NUMBER(pcie_width_max), NUMBER(pcie_tx),
    NUMBER(pcie_rx), NUMBER(c2c), NUMBER(c2c_speed), NUMBER(replays), NUMBER(nvlinks), NUMBER(nvlink_version),
    NUMBER(nvlink_speed), NUMBER(nvlink_rate), NUMBER(ecc_mode), NUMBER(ecc), NUMBER(ecc_bad),
    NUMBER(retired), NUMBER(retired_bad), NUMBER(retired_pending), NUMBER(remapped),
    NUMBER(remapped_bad), NUMBER(remapped_pending), NUMBER(remapped_failed),
    NUMBER(told_count), NUMBER(process_memory),
    NUMBER(compute_mode), NUMBER(persistence), NUMBER(virtualization), NUMBER(display_active),
};

static long long *field_of(int card, size_t offset) {
    return (long long *)(void *)((char *)&staged.card[card] + offset);
}

static void complain(const char *key, const char *value) {
    fprintf(stderr, "nvml stub: %s=%s is not understood\n", key, value);
}

int stub_names(const char *list, int number) {
    if (strcmp(list, "all") == 0)
        return 1;
    for (const char *at = list; *at;) {
        char *end;
        long one = strtol(at, &end, 10);
        if (end == at)
            break;
        if (one == number)
            return 1;
        at = *end == ',' ? end + 1 : end;
    }
    return 0;
}

static long long bits_of(const char *list) {
    long long bits = 0;
    for (int bit = 0; bit < 63; bit++)
        bits |= (long long)stub_names(list, bit) << bit;
    return bits;
}

static void set_processes(struct card *card, int index, const char *value) {
    static const char uses[] = {'c', 'c', 'g', 'b'};
    int count = atoi(value);
    card->process_count = count < MOST_PROCESSES ? count : MOST_PROCESSES;
    for (int j = 0; j < card->process_count; j++)
        card->processes[j] =
            (struct process){.pid = stub_made_up_pid(index, j), .use = uses[j % 4]};
}

static void set_pids(struct card *card, const char *value) {
    card->process_count = 0;
    for (const char *at = value; *at && card->process_count < MOST_PROCESSES;) {
        char *end;
        unsigned int pid = (unsigned int)strtoul(at, &end, 10);
        if (end == at)
            break;
        char use = *end && strchr("cgbm", *end) ? *end++ : 'c';
        card->processes[card->process_count++] = (struct process){.pid = pid, .use = use};
        at = *end == ',' ? end + 1 : end;
    }
}

static void set_name(struct card *card, const char *hex) {
    size_t length = 0;
    unsigned int byte;
    while (length + 1 < sizeof card->name && sscanf(hex + 2 * length, "%2x", &byte) == 1)
        card->name[length++] = (char)byte;
    card->name[length] = '\0';
}

static void go_idle(struct card *card) {
    card->util = card->memory_util = card->encoder = card->decoder = card->jpeg = card->ofa = 0;
    card->process_count = 0;
    if (card->used != ABSENT)
        card->used = 0;
    card->clock_graphics = card->clock_sm = 210, card->pstate = 8, card->reasons = 0x1;
    card->pcie_gen = 1, card->pcie_tx = card->pcie_rx = 0;
    if (card->nvlink_rate != ABSENT)
        card->nvlink_rate = 0;
}

/* Sets what only one card at a time can be told; 0: the key is unknown. */
static int set_on_card(int index, const char *key, const char *value) {
    struct card *card = &staged.card[index];
    int generation, lanes;
    if (strcmp(key, "kind") == 0)
        stub_reset_card(index, value);
    else if (strcmp(key, "mig") == 0)
        card->mig_mask = (1 << atoi(value)) - 1;
    else if (strcmp(key, "mig_at") == 0)
        card->mig_mask = bits_of(value);
    else if (strcmp(key, "nvlink_down") == 0)
        card->nvlink_down = bits_of(value);
    else if (strcmp(key, "procs") == 0)
        set_processes(card, index, value);
    else if (strcmp(key, "pids") == 0)
        set_pids(card, value);
    else if (strcmp(key, "name") == 0)
        set_name(card, value);
    else if (strcmp(key, "uuid") == 0)
        snprintf(card->uuid, sizeof card->uuid, "%s", value);
    else if (strcmp(key, "xid") == 0 && card->xid_count < 16)
        card->xids[card->xid_count++] = (unsigned int)atoi(value);
    else if (strcmp(key, "fans") == 0) {
        card->fans = atoi(value);
        if (card->fan_speed == ABSENT)
            card->fan_speed = 40, card->fan_rpm = 1500;
    } else if (strcmp(key, "pcie_now") == 0 && sscanf(value, "%dx%d", &generation, &lanes) == 2)
        card->pcie_gen = generation, card->pcie_width = lanes;
    else {
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            if (strcmp(numbers[i].key, key) == 0) {
                int none = strcmp(value, "none") == 0;
                *field_of(index, numbers[i].offset) = none ? ABSENT : strtoll(value, NULL, 0);
                return 1;
            }
        return 0;
    }
    return 1;
}

static long long microseconds(const char *seconds) {
    return (long long)(strtod(seconds, NULL) * 1e6);
}

static void set_clock(const char *value) {
    if (strcmp(value, "real") == 0) {
        staged.clock_by_hand = 0;
        return;
    }
    long long seconds_us = microseconds(value);
    staged.clock_us = *value == '+' ? staged.clock_us + seconds_us : seconds_us;
    staged.clock_by_hand = 1;
}

/* Sets what the whole machine is told; 0: the key is unknown. */
static int set_on_machine(const char *key, char *value) {
    static const char *const statuses[] = {"ok", "chipset", "gpu", "topology",
                                           "disabled", "not_supported", "unknown"};
    static const char *const wirings[] = {"switch", "mesh", "pairs", "nonsense"};
    if (strcmp(key, "cards") == 0)
        staged.cards = atoi(value) < MOST_CARDS ? atoi(value) : MOST_CARDS;
    else if (strcmp(key, "driver") == 0)
        staged.driver_gone = strcmp(value, "gone") == 0;
    else if (strcmp(key, "driver_version") == 0)
        snprintf(staged.driver_version, sizeof staged.driver_version, "%s", value);
    else if (strcmp(key, "refuse_code") == 0)
        staged.refuse_code = stub_code(value);
    else if (strcmp(key, "pcie_bits") == 0)
        staged.pcie_bits = atoi(value);
    else if (strcmp(key, "fuzz") == 0)
        stub_seed(atoll(value));
    else if (strcmp(key, "flicker") == 0)
        staged.flicker_us = microseconds(value), staged.faults_since_us = 0;
    else if (strcmp(key, "from") == 0)
        staged.faults_from_us = microseconds(value), staged.faults_since_us = 0;
    else if (strcmp(key, "until") == 0)
        staged.faults_until_us = microseconds(value), staged.faults_since_us = 0;
    else if (strcmp(key, "clock") == 0)
        set_clock(value);
    else if (strcmp(key, "p2p") == 0) {
        for (int i = 0; i < 7; i++)
            if (strcmp(statuses[i], value) == 0)
                staged.p2p = i;
        if (isdigit((unsigned char)*value))
            staged.p2p = atoi(value);
    } else if (strcmp(key, "ancestor") == 0)
        staged.ancestor = atoi(value);
    else if (strcmp(key, "wiring") == 0) {
        for (int i = 0; i < 4; i++)
            if (strcmp(wirings[i], value) == 0)
                staged.wiring = (enum wiring)i;
    } else if (strcmp(key, "idle") == 0) {
        for (int i = 0; i < MOST_CARDS; i++)
            if (stub_names(value, i))
                go_idle(&staged.card[i]);
    } else if (strcmp(key, "wddm") == 0) {
        for (int i = 0; i < MOST_CARDS; i++)
            staged.card[i].wddm = stub_names(value, i);
    } else
        return stub_set_fault(key, value);
    return 1;
}

static void set_one(const char *key, char *value) {
    if (set_on_machine(key, value))
        return;
    char *colon = strchr(value, ':');
    int first = 0, last = MOST_CARDS - 1, known = 1;
    if (colon) {
        *colon = '\0';
        if (strcmp(value, "all") != 0)
            first = last = atoi(value);
        value = colon + 1;
    }
    for (int i = first; known && i <= last && i >= 0 && i < MOST_CARDS; i++)
        known = set_on_card(i, key, value);
    if (!known)
        complain(key, value);
}

/* Kinds come first wherever they stand in the text, since they set everything else anew. */
void stub_apply(const char *text) {
    for (int kinds = 1; kinds >= 0; kinds--) {
        char *copy = strdup(text), *rest = NULL;
        for (char *item = strtok_r(copy, "; \n", &rest); item;
             item = strtok_r(NULL, "; \n", &rest)) {
            char *equals = strchr(item, '=');
            if (!equals) {
                if (!kinds)
                    complain(item, "");
                continue;
            }
            *equals = '\0';
            if ((strcmp(item, "kind") == 0) == kinds)
                set_one(item, equals + 1);
        }
        free(copy);
    }
}
