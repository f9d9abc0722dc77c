/* What a card measures of itself: use, memory, heat, power, clocks, fans, health and modes. */

#include "nvml_stub.h"

#include <string.h>

struct utilization { unsigned int gpu, memory; };
struct memory { u64 total, free, used; };
struct memory_v2 {
    unsigned int version;
    u64 total, reserved, free, used;
};
struct bar1 { u64 total, free, used; };
struct temperature {
    unsigned int version, sensor;
    int degrees;
};
struct margin {
    unsigned int version;
    int degrees;
};
struct fan_speed { unsigned int version, fan, turns; };
struct violation { u64 reference_us, violation_ns; };

int stub_mig_on(const struct card *card) { return card->mig_mask != 0; }

/* With MIG on, the whole card no longer knows how busy it is. */
static long long busy(const struct card *card, long long percent) {
    return stub_mig_on(card) ? ABSENT : percent;
}

CALL(nvmlDeviceGetUtilizationRates, handle device, struct utilization *use) {
    ENTER_CARD(nvmlDeviceGetUtilizationRates, device);
    REQUIRE(use);
    GIVE(&use->gpu, busy(card, card->util));
    GIVE(&use->memory, busy(card, card->memory_util));
    return OK;
}

#define ENGINE(name_, field_)                                                                  \
    CALL(name_, handle device, unsigned int *percent, unsigned int *period_us) {               \
        ENTER_CARD(name_, device);                                                             \
        GIVE(percent, busy(card, card->field_));                                               \
        GIVE(period_us, 167000);                                                               \
        return OK;                                                                             \
    }

ENGINE(nvmlDeviceGetEncoderUtilization, encoder)
ENGINE(nvmlDeviceGetDecoderUtilization, decoder)
#ifndef OLD_DRIVER
ENGINE(nvmlDeviceGetJpgUtilization, jpeg)
ENGINE(nvmlDeviceGetOfaUtilization, ofa)
#endif

int stub_slices(const struct card *card) {
    int count = 0;
    for (int slice = 0; slice < MOST_SLICES; slice++)
        count += (int)(card->mig_mask >> slice & 1);
    return count;
}

/* A slice has an equal share of the card. */
static answer measure(const struct card *card, int slice, struct memory_v2 *memory) {
    long long share = slice < 0 ? 1 : stub_slices(card);
    REQUIRE(share > 0);
    if (card->total == ABSENT || card->used == ABSENT)
        return NOT_SUPPORTED;
    memory->total = (u64)(card->total / share);
    memory->reserved = (u64)(card->reserved / share);
    memory->used = (u64)(card->used / share);
    memory->free = memory->total - memory->reserved - memory->used;
    return OK;
}

CALL(nvmlDeviceGetMemoryInfo, handle device, struct memory *memory) {
    ENTER_CARD_OR_SLICE(nvmlDeviceGetMemoryInfo, device);
    struct memory_v2 all;
    REQUIRE(memory);
    OR_RETURN(measure(card, slice, &all));
    GIVE(&memory->total, (long long)all.total);
    GIVE(&memory->used, (long long)(all.used + all.reserved));
    GIVE(&memory->free, (long long)all.free);
    return OK;
}

#ifndef OLD_DRIVER
CALL(nvmlDeviceGetMemoryInfo_v2, handle device, struct memory_v2 *memory) {
    ENTER_CARD_OR_SLICE(nvmlDeviceGetMemoryInfo_v2, device);
    REQUIRE(memory);
    if (memory->version != (sizeof *memory | 2u << 24))
        return ARGUMENT_VERSION_MISMATCH;
    struct memory_v2 all;
    OR_RETURN(measure(card, slice, &all));
    GIVE(&memory->total, (long long)all.total);
    GIVE(&memory->reserved, (long long)all.reserved);
    GIVE(&memory->used, (long long)all.used);
    GIVE(&memory->free, (long long)all.free);
    return OK;
}
#endif

CALL(nvmlDeviceGetBAR1MemoryInfo, handle device, struct bar1 *bar1) {
    ENTER_CARD_OR_SLICE(nvmlDeviceGetBAR1MemoryInfo, device);
    REQUIRE(bar1);
    GIVE(&bar1->total, card->bar1_total);
    GIVE(&bar1->used, card->bar1_used);
    bar1->free = bar1->total - bar1->used;
    return OK;
}

CALL(nvmlDeviceGetTemperature, handle device, unsigned int sensor, unsigned int *degrees) {
    ENTER_CARD(nvmlDeviceGetTemperature, device);
    REQUIRE(sensor == 0);
    GIVE(degrees, card->temp);
    return OK;
}

#ifndef OLD_DRIVER
CALL(nvmlDeviceGetTemperatureV, handle device, struct temperature *temperature) {
    ENTER_CARD(nvmlDeviceGetTemperatureV, device);
    REQUIRE(temperature);
    if (temperature->version != (sizeof *temperature | 1u << 24))
        return ARGUMENT_VERSION_MISMATCH;
    REQUIRE(temperature->sensor == 0);
    GIVE(&temperature->degrees, card->temp);
    return OK;
}

CALL(nvmlDeviceGetMarginTemperature, handle device, struct margin *margin) {
    ENTER_CARD(nvmlDeviceGetMarginTemperature, device);
    REQUIRE(margin);
    if (margin->version != (sizeof *margin | 1u << 24))
        return ARGUMENT_VERSION_MISMATCH;
    GIVE(&margin->degrees, card->margin);
    return OK;
}
#endif

CALL(nvmlDeviceGetTemperatureThreshold, handle device, unsigned int which,
     unsigned int *degrees) {
    ENTER_CARD(nvmlDeviceGetTemperatureThreshold, device);
    const long long thresholds[] = {card->shutdown_temp, card->slowdown_temp,
                                    card->memory_max_temp, card->max_temp};
    REQUIRE(which < 8);
    GIVE(degrees, which < 4 ? thresholds[which] : ABSENT);
    return OK;
}

CARD_NUMBER(nvmlDeviceGetPowerUsage, unsigned int, card->power)
CARD_NUMBER(nvmlDeviceGetEnforcedPowerLimit, unsigned int, card->power_limit)
CARD_NUMBER(nvmlDeviceGetPowerManagementLimit, unsigned int, card->power_limit)
CARD_NUMBER(nvmlDeviceGetPowerManagementDefaultLimit, unsigned int, card->power_default)

CALL(nvmlDeviceGetPowerManagementLimitConstraints, handle device, unsigned int *lowest,
     unsigned int *highest) {
    ENTER_CARD(nvmlDeviceGetPowerManagementLimitConstraints, device);
    GIVE(lowest, card->power_min);
    GIVE(highest, card->power_max);
    return OK;
}

/* Energy is counted in mJ, and mW times seconds are mJ. */
CARD_NUMBER(nvmlDeviceGetTotalEnergyConsumption, u64,
            card->power == ABSENT ? ABSENT : (long long)((double)card->power * stub_elapsed()))

CALL(nvmlDeviceGetClockInfo, handle device, unsigned int which, unsigned int *mhz) {
    ENTER_CARD(nvmlDeviceGetClockInfo, device);
    const long long clocks[] = {card->clock_graphics, card->clock_sm, card->clock_memory,
                                card->clock_video};
    REQUIRE(which < 4);
    GIVE(mhz, clocks[which]);
    return OK;
}

CALL(nvmlDeviceGetMaxClockInfo, handle device, unsigned int which, unsigned int *mhz) {
    ENTER_CARD(nvmlDeviceGetMaxClockInfo, device);
    const long long clocks[] = {card->max_graphics, card->max_sm, card->max_memory,
                                card->max_video};
    REQUIRE(which < 4);
    GIVE(mhz, clocks[which]);
    return OK;
}

CARD_NUMBER(nvmlDeviceGetPerformanceState, unsigned int, card->pstate)
CARD_NUMBER(nvmlDeviceGetCurrentClocksThrottleReasons, u64, card->reasons)
CARD_NUMBER(nvmlDeviceGetSupportedClocksThrottleReasons, u64, 0x1FF)
#ifndef OLD_DRIVER
CARD_NUMBER(nvmlDeviceGetCurrentClocksEventReasons, u64, card->reasons)
CARD_NUMBER(nvmlDeviceGetSupportedClocksEventReasons, u64, 0x1FF)
#endif

CALL(nvmlDeviceGetViolationStatus, handle device, unsigned int policy,
     struct violation *violation) {
    ENTER_CARD(nvmlDeviceGetViolationStatus, device);
    REQUIRE(violation && policy < 12);
    violation->reference_us = stub_now_us();
    violation->violation_ns = (u64)(stub_elapsed() * 1e6) * (policy + 1);
    return OK;
}

CARD_NUMBER(nvmlDeviceGetNumFans, unsigned int, card->fans)
CARD_NUMBER(nvmlDeviceGetFanSpeed, unsigned int, card->fans ? card->fan_speed : ABSENT)

static answer give_fan(const struct card *card, unsigned int fan, unsigned int *percent) {
    if (card->fans == 0)
        return NOT_SUPPORTED;
    REQUIRE(fan < (unsigned int)card->fans);
    long long speed = card->fan_speed;
    if (speed > 0)
        speed += 5 * fan;
    GIVE(percent, speed);
    return OK;
}

CALL(nvmlDeviceGetFanSpeed_v2, handle device, unsigned int fan, unsigned int *percent) {
    ENTER_CARD(nvmlDeviceGetFanSpeed_v2, device);
    return give_fan(card, fan, percent);
}

CALL(nvmlDeviceGetTargetFanSpeed, handle device, unsigned int fan, unsigned int *percent) {
    ENTER_CARD(nvmlDeviceGetTargetFanSpeed, device);
    return give_fan(card, fan, percent);
}

#ifndef OLD_DRIVER
CALL(nvmlDeviceGetFanSpeedRPM, handle device, struct fan_speed *speed) {
    ENTER_CARD(nvmlDeviceGetFanSpeedRPM, device);
    REQUIRE(speed);
    if (speed->version != (sizeof *speed | 1u << 24))
        return ARGUMENT_VERSION_MISMATCH;
    if (card->fans == 0)
        return NOT_SUPPORTED;
    REQUIRE(speed->fan < (unsigned int)card->fans);
    long long turns = card->fan_rpm > 0 ? card->fan_rpm + 50 * speed->fan : card->fan_rpm;
    GIVE(&speed->turns, turns);
    return OK;
}
#endif

CALL(nvmlDeviceGetEccMode, handle device, unsigned int *current, unsigned int *pending) {
    ENTER_CARD(nvmlDeviceGetEccMode, device);
    GIVE(current, card->ecc_mode);
    GIVE(pending, card->ecc_mode);
    return OK;
}

/* In its life a card has had ten times the errors of today. */
static answer count_errors(const struct card *card, unsigned int type, unsigned int counter,
                           u64 *count) {
    REQUIRE(type < 2 && counter < 2);
    long long errors = type ? card->ecc_bad : card->ecc;
    GIVE(count, errors == ABSENT ? ABSENT : errors * (counter ? 10 : 1));
    return OK;
}

CALL(nvmlDeviceGetTotalEccErrors, handle device, unsigned int type, unsigned int counter,
     u64 *count) {
    ENTER_CARD(nvmlDeviceGetTotalEccErrors, device);
    return count_errors(card, type, counter, count);
}

CALL(nvmlDeviceGetMemoryErrorCounter, handle device, unsigned int type, unsigned int counter,
     unsigned int location, u64 *count) {
    ENTER_CARD(nvmlDeviceGetMemoryErrorCounter, device);
    REQUIRE(location < 8);
    OR_RETURN(count_errors(card, type, counter, count));
    if (location != 2) /* all of them were in the card's memory */
        *count = 0;
    return OK;
}

static answer list_retired(const struct card *card, unsigned int cause, unsigned int *count,
                           u64 *pages, u64 *times) {
    REQUIRE(cause < 2 && count);
    long long retired = cause ? card->retired_bad : card->retired;
    if (retired == ABSENT)
        return NOT_SUPPORTED;
    unsigned int room = *count;
    *count = (unsigned int)retired;
    if (room < (unsigned int)retired)
        return INSUFFICIENT_SIZE;
    for (long long i = 0; i < retired && pages; i++) {
        pages[i] = (u64)(0x1000 * (i + 1));
        if (times)
            times[i] = stub_now_us() - (u64)i * 1000000u;
    }
    return OK;
}

CALL(nvmlDeviceGetRetiredPages, handle device, unsigned int cause, unsigned int *count,
     u64 *pages) {
    ENTER_CARD(nvmlDeviceGetRetiredPages, device);
    return list_retired(card, cause, count, pages, NULL);
}

CALL(nvmlDeviceGetRetiredPages_v2, handle device, unsigned int cause, unsigned int *count,
     u64 *pages, u64 *times) {
    ENTER_CARD(nvmlDeviceGetRetiredPages_v2, device);
    return list_retired(card, cause, count, pages, times);
}

CARD_NUMBER(nvmlDeviceGetRetiredPagesPendingStatus, unsigned int, card->retired_pending)

CALL(nvmlDeviceGetRemappedRows, handle device, unsigned int *corrected,
     unsigned int *uncorrected, unsigned int *pending, unsigned int *failed) {
    ENTER_CARD(nvmlDeviceGetRemappedRows, device);
    GIVE(corrected, card->remapped);
    GIVE(uncorrected, card->remapped_bad);
    GIVE(pending, card->remapped_pending);
    GIVE(failed, card->remapped_failed);
    return OK;
}

CARD_NUMBER(nvmlDeviceGetComputeMode, unsigned int, card->compute_mode)
CARD_NUMBER(nvmlDeviceGetPersistenceMode, unsigned int, card->persistence)
CARD_NUMBER(nvmlDeviceGetVirtualizationMode, unsigned int, card->virtualization)
CARD_NUMBER(nvmlDeviceGetDisplayMode, unsigned int, card->display_active)
CARD_NUMBER(nvmlDeviceGetDisplayActive, unsigned int, card->display_active)

/* Only Windows has driver models; 0 is WDDM. */
static answer give_model(const struct card *card, unsigned int *current, unsigned int *pending) {
    GIVE(current, card->wddm ? 0 : ABSENT);
    GIVE(pending, 0);
    return OK;
}

CALL(nvmlDeviceGetDriverModel, handle device, unsigned int *current, unsigned int *pending) {
    ENTER_CARD(nvmlDeviceGetDriverModel, device);
    return give_model(card, current, pending);
}

#ifndef OLD_DRIVER
CALL(nvmlDeviceGetDriverModel_v2, handle device, unsigned int *current,
     unsigned int *pending) {
    ENTER_CARD(nvmlDeviceGetDriverModel_v2, device);
    return give_model(card, current, pending);
}
#endif
