/* nvmlDeviceGetFieldValues: many numbers in one call, each with its own answer. */

#include "nvml_stub.h"

enum type { DOUBLE = 0, UNSIGNED = 1, U64 = 3, SIGNED = 5 };

struct field {
    unsigned int id, scope;
    long long timestamp_us, latency_us;
    unsigned int type;
    answer answer;
    union {
        double real;
        unsigned int number;
        u64 big;
        int with_sign;
    } value;
};

#define ALL_LINKS 0xFFFFFFFFu

static answer give(struct field *field, enum type type, long long value) {
    if (value == ABSENT)
        return NOT_SUPPORTED;
    field->type = stub_tells_real() ? DOUBLE : type;
    field->value.big = 0;
    if (field->type == DOUBLE) {
        field->value.real = stub_told_real((double)value);
        return OK;
    }
    value = stub_told(value);
    if (type == U64)
        field->value.big = (u64)value;
    else if (type == SIGNED)
        field->value.with_sign = (int)value;
    else
        field->value.number = (unsigned int)value;
    return OK;
}

static long long times(long long number, long long factor) {
    return number == ABSENT ? ABSENT : number * factor;
}

/* By the field's own stamp, so that two readings of it give the rate exactly. */
static long long grown(const struct field *field, long long rate) {
    if (rate == ABSENT)
        return ABSENT;
    return (long long)((double)rate * stub_elapsed_at((u64)field->timestamp_us));
}

static long long wrapped(long long bytes) {
    return bytes == ABSENT || machine.pcie_bits > 62 ? bytes
                                                     : bytes & ((1LL << machine.pcie_bits) - 1);
}

/* The last field that the driver knows; a later one is an invalid argument to it. */
static unsigned int newest_field(void) {
#ifdef OLD_DRIVER
    return 147;
#else
    return stub_driver_since(580, 82)   ? 307
           : stub_driver_since(570, 0) ? 273
           : stub_driver_since(560, 0) ? 250
                                       : 196;
#endif
}

/* Time under heat and power brake, whose fields were numbered anew with 580.82. */
static unsigned int first_throttle_time(void) { return stub_driver_since(580, 82) ? 269 : 251; }

static answer give_of_link(const struct card *card, struct field *field) {
    if (card->nvlinks == 0 || stub_mig_on(card))
        return NOT_SUPPORTED;
    int all = field->scope == ALL_LINKS, counts = field->id == 138 || field->id == 139;
    REQUIRE((all && counts) || field->scope < (unsigned int)card->nvlinks);
    int link = all ? -1 : (int)field->scope;
    int works = all || (!(card->nvlink_down >> link & 1) && stub_remote_card(card, link) != -2);
    switch (field->id) {
    case 138:
    case 139:
        return give(field, U64,
                    (long long)(stub_nvlink_bytes(card, link, field->id == 139) / 1024));
    case 164: return give(field, UNSIGNED, works ? card->nvlink_speed : 0);
    case 165: return give(field, UNSIGNED, works);
    default: return give(field, UNSIGNED, card->nvlink_version);
    }
}

static answer give_of_c2c(const struct card *card, struct field *field) {
    if (card->c2c == ABSENT)
        return NOT_SUPPORTED;
    REQUIRE(field->scope < card->c2c);
    return give(field, UNSIGNED, field->id == 171 ? card->c2c_speed != 0 : card->c2c_speed);
}

static answer give_throttle_time(struct field *field) {
    /* Counter N grows by N ms per second, so that no two are alike. */
    long long number = field->id < 100 ? field->id - 73 : field->id - first_throttle_time() + 9;
    return give(field, U64, (long long)((double)number * stub_elapsed() * 1e6));
}

static answer give_field(const struct card *card, struct field *field) {
    unsigned int id = field->id;
    switch (id) {
    case 1:
    case 2: return give(field, UNSIGNED, card->ecc_mode);
    case 3: return give(field, U64, card->ecc);
    case 4: return give(field, U64, card->ecc_bad);
    case 5: return give(field, U64, times(card->ecc, 10));
    case 6: return give(field, U64, times(card->ecc_bad, 10));
    case 29: return give(field, UNSIGNED, card->retired);
    case 30: return give(field, UNSIGNED, card->retired_bad);
    case 31: return give(field, UNSIGNED, card->retired_pending);
    case 82: return give(field, UNSIGNED, card->memory_temp);
    case 83:
    case 191: return give(field, U64, grown(field, card->power));
    case 90: return give(field, UNSIGNED, card->nvlink_speed);
    case 91: return give(field, UNSIGNED, card->nvlinks ? card->nvlinks : ABSENT);
    case 94: return give(field, UNSIGNED, card->replays);
    case 142: return give(field, UNSIGNED, card->remapped);
    case 143: return give(field, UNSIGNED, card->remapped_bad);
    case 144: return give(field, UNSIGNED, card->remapped_pending);
    case 145: return give(field, UNSIGNED, card->remapped_failed);
    case 147:
        return give(field, UNSIGNED,
                    card->nvlinks && machine.wiring == WIRED_TO_SWITCH ? card->nvlinks : ABSENT);
    case 170: return give(field, UNSIGNED, card->c2c);
    case 171:
    case 172: return give_of_c2c(card, field);
    case 185: return give(field, UNSIGNED, card->power_average);
    case 186: return give(field, UNSIGNED, card->power_instant);
    case 187: return give(field, UNSIGNED, card->power_min);
    case 188: return give(field, UNSIGNED, card->power_max);
    case 189: return give(field, UNSIGNED, card->power_default);
    case 190:
    case 192: return give(field, UNSIGNED, card->power_limit);
    /* Degrees to spare before it happens; below zero is beyond the working range. */
    case 193: return give(field, SIGNED, card->margin == ABSENT ? ABSENT : -8);
    case 194: return give(field, SIGNED, card->margin == ABSENT ? ABSENT : -2);
    case 195:
    case 196: return give(field, SIGNED, card->margin == ABSENT ? ABSENT : 0);
    case 197: return give(field, U64, wrapped(grown(field, card->pcie_tx)));
    case 198: return give(field, U64, wrapped(grown(field, card->pcie_rx)));
    case 138:
    case 139:
    case 164:
    case 165:
    case 166: return give_of_link(card, field);
    default: break;
    }
    unsigned int timed = first_throttle_time();
    if ((id >= 74 && id <= 81) || (id >= timed && id < timed + 3))
        return give_throttle_time(field);
    if (id >= 84 && id <= 89)
        return give(field, UNSIGNED, card->nvlink_speed);
    return id == 0 ? INVALID_ARGUMENT : NOT_SUPPORTED;
}

CALL(nvmlDeviceGetFieldValues, handle device, int count, struct field *fields) {
    ENTER_CARD(nvmlDeviceGetFieldValues, device);
    REQUIRE(count > 0 && fields);
    for (int i = 0; i < count; i++) {
        struct field *field = &fields[i];
        field->timestamp_us = stub_drawn((long long)stub_now_us());
        field->latency_us = 1;
        if (field->id < MOST_FIELDS)
            atomic_fetch_add(&stub_field_calls[field->id], 1);
        if (field->id > newest_field()) {
            field->answer = INVALID_ARGUMENT;
            continue;
        }
        field->answer = stub_meet_faults(NULL, field->id, stub_index_of(card));
        if (field->answer == OK)
            field->answer = give_field(card, field);
        else if (field->answer == UNWRITTEN)
            field->answer = OK;
        field->type = (unsigned int)stub_drawn_count(field->type);
    }
    return OK;
}
