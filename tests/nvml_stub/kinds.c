/* What a machine and its cards are like before a test changes them. */

#include "nvml_stub.h"

#include <stdio.h>
#include <string.h>

static const long long MIB = 1024LL * 1024;
static const long long GIB = 1024LL * 1024 * 1024;

/* A data centre card on NVLink: it answers nearly every question. */
static void be_an_h100(struct card *card, int i) {
    snprintf(card->name, sizeof card->name, "NVIDIA H100 80GB HBM3");
    snprintf(card->serial, sizeof card->serial, "16530000%05d", i);
    snprintf(card->vbios, sizeof card->vbios, "96.00.89.00.01");
    card->capability_major = 9, card->capability_minor = 0, card->architecture = 9;
    card->brand = 14, card->cores = 16896, card->bus_width = 5120, card->numa = i / 4 % 2;
    card->device_id = 0x233010DE, card->mig_capable = 1, card->gpm = 1;

    card->util = (17 * i + 23) % 101, card->memory_util = (11 * i + 7) % 101;
    card->encoder = i % 7, card->decoder = (3 * i + 5) % 101;
    card->jpeg = i % 5, card->ofa = i % 3;
    card->total = 80 * GIB, card->reserved = 479 * MIB;
    card->used = 8 * GIB + i % 32 * (2 * GIB);
    card->bar1_total = 128 * GIB, card->bar1_used = (i + 1) * MIB;

    card->temp = 40 + i % 30, card->memory_temp = 50 + i % 30, card->margin = 47 - i % 30;
    card->slowdown_temp = 89, card->shutdown_temp = 92;
    card->memory_max_temp = 95, card->max_temp = 87;
    card->power = 300000 + 1000 * i, card->power_average = card->power;
    card->power_instant = card->power + 500;
    card->power_limit = 700000, card->power_default = 700000;
    card->power_min = 200000, card->power_max = 700000;
    card->fan_speed = ABSENT, card->fan_rpm = ABSENT;

    card->clock_graphics = 1700 + i, card->clock_sm = 1710 + i;
    card->clock_memory = 2619, card->clock_video = 1500 + i;
    card->max_graphics = 1980, card->max_sm = 1980;
    card->max_memory = 2619, card->max_video = 1545;
    card->reasons = i % 2 ? 0x4 : 0;

    card->pcie_gen = 5, card->pcie_gen_max = 5, card->pcie_gen_card = 5;
    card->pcie_width = 16, card->pcie_width_max = 16;
    card->pcie_tx = (i + 1) * 10000000LL, card->pcie_rx = (i + 1) * 20000000LL;
    card->c2c = ABSENT, card->c2c_speed = ABSENT;
    card->nvlinks = 18, card->nvlink_version = 6, card->nvlink_speed = 26562;
    card->nvlink_rate = (i + 1) * 100 * MIB;

    card->ecc_mode = 1;
    card->retired = ABSENT, card->retired_bad = ABSENT, card->retired_pending = ABSENT;
    card->persistence = 1;
}

/* The same joined to a processor of NVIDIA's by ten links of NVLink-C2C. */
static void be_a_gh200(struct card *card) {
    snprintf(card->name, sizeof card->name, "NVIDIA GH200 120GB");
    card->device_id = 0x234210DE;
    card->total = 96 * GIB;
    card->c2c = 10, card->c2c_speed = 44712;
}

static void have_no_nvlink(struct card *card) {
    card->nvlinks = 0;
    card->nvlink_version = card->nvlink_speed = card->nvlink_rate = ABSENT;
}

static void have_no_ecc(struct card *card) {
    card->ecc_mode = card->ecc = card->ecc_bad = ABSENT;
    card->remapped = card->remapped_bad = ABSENT;
    card->remapped_pending = card->remapped_failed = ABSENT;
}

/* A card for players: fans, a display, and none of the data centre's counters. */
static void be_an_rtx4090(struct card *card, int i) {
    snprintf(card->name, sizeof card->name, "NVIDIA GeForce RTX 4090");
    card->serial[0] = '\0';
    card->capability_major = 8, card->capability_minor = 9, card->architecture = 8;
    card->brand = 5, card->cores = 16384, card->bus_width = 384;
    card->device_id = 0x268410DE, card->mig_capable = 0, card->gpm = 0;
    card->total = 24 * GIB, card->reserved = 434 * MIB, card->used = GIB + i % 16 * GIB;
    card->bar1_total = 256 * MIB;
    card->memory_temp = ABSENT, card->memory_max_temp = ABSENT, card->margin = ABSENT;
    card->slowdown_temp = 97, card->shutdown_temp = 100, card->max_temp = 84;
    card->power = 84000 + 1000 * i, card->power_average = card->power;
    card->power_instant = card->power + 2000;
    card->power_limit = card->power_default = 450000;
    card->power_min = 150000, card->power_max = 600000;
    card->fans = 2, card->fan_speed = i ? 30 + i : 0, card->fan_rpm = i ? 1000 + i : 0;
    card->clock_memory = card->max_memory = 10501;
    card->max_graphics = card->max_sm = 3120, card->max_video = 2415;
    card->pcie_gen = 1, card->pcie_gen_max = 4, card->pcie_gen_card = 4;
    card->display_active = i == 0, card->persistence = 0;
    have_no_nvlink(card);
    have_no_ecc(card);
}

/* An older card without fans: pages are retired instead of rows remapped. */
static void be_a_t4(struct card *card, int i) {
    snprintf(card->name, sizeof card->name, "Tesla T4");
    card->capability_major = 7, card->capability_minor = 5, card->architecture = 6;
    card->brand = 2, card->cores = 2560, card->bus_width = 256;
    card->device_id = 0x1EB810DE, card->mig_capable = 0, card->gpm = 0;
    card->total = 16 * GIB, card->reserved = 408 * MIB, card->used = GIB + i % 8 * GIB;
    card->bar1_total = 256 * MIB, card->ofa = ABSENT;
    card->memory_temp = ABSENT, card->memory_max_temp = ABSENT, card->margin = ABSENT;
    card->slowdown_temp = 93, card->shutdown_temp = 96, card->max_temp = 85;
    card->power = 30000 + 100 * i, card->power_average = ABSENT;
    card->power_instant = card->power + 100;
    card->power_limit = card->power_default = card->power_max = 70000;
    card->power_min = 60000;
    card->clock_memory = card->max_memory = 5001;
    card->max_graphics = card->max_sm = 1590, card->max_video = 1470;
    card->pcie_gen = 3, card->pcie_gen_max = 3, card->pcie_gen_card = 3;
    have_no_nvlink(card);
    card->remapped = card->remapped_bad = ABSENT;
    card->remapped_pending = card->remapped_failed = ABSENT;
    card->retired = card->retired_bad = card->retired_pending = 0;
}

/* A chip that shares the computer's memory: no memory of its own, a PCIe link that is none. */
static void be_a_gb10(struct card *card) {
    snprintf(card->name, sizeof card->name, "NVIDIA GB10");
    card->serial[0] = '\0';
    card->capability_major = 12, card->capability_minor = 1, card->architecture = 10;
    card->cores = 6144, card->bus_width = ABSENT;
    card->device_id = 0x2E1210DE, card->mig_capable = 0, card->gpm = 0;
    card->total = card->reserved = card->used = ABSENT;
    card->bar1_total = card->bar1_used = ABSENT;
    card->memory_temp = ABSENT, card->memory_max_temp = ABSENT, card->margin = ABSENT;
    card->power = 12000, card->power_average = card->power_instant = card->power;
    card->power_limit = card->power_default = card->power_min = card->power_max = ABSENT;
    card->clock_memory = card->max_memory = ABSENT;
    card->pcie_gen = 1, card->pcie_gen_max = 1, card->pcie_gen_card = 1;
    card->pcie_width = 1, card->pcie_width_max = 1;
    have_no_nvlink(card);
    have_no_ecc(card);
}

void stub_reset_card(int index, const char *kind) {
    struct card *card = &staged.card[index];
    memset(card, 0, sizeof *card);
    snprintf(card->uuid, sizeof card->uuid, "GPU-%08x-0000-4000-8000-%012x", index, index);
    be_an_h100(card, index);
    if (strcmp(kind, "rtx4090") == 0)
        be_an_rtx4090(card, index);
    else if (strcmp(kind, "gh200") == 0)
        be_a_gh200(card);
    else if (strcmp(kind, "t4") == 0)
        be_a_t4(card, index);
    else if (strcmp(kind, "gb10") == 0)
        be_a_gb10(card);
    card->process_count = 2;
    for (int j = 0; j < card->process_count; j++)
        card->processes[j] = (struct process){.pid = stub_made_up_pid(index, j), .use = 'c'};
}

void stub_reset(void) {
    memset(&staged, 0, sizeof staged);
    staged.cards = 8;
#ifdef OLD_DRIVER
    snprintf(staged.driver_version, sizeof staged.driver_version, "450.80.02");
#else
    snprintf(staged.driver_version, sizeof staged.driver_version, "580.95.05");
#endif
    staged.refuse_code = NOT_SUPPORTED;
    staged.pcie_bits = 32;
    for (int i = 0; i < MOST_CARDS; i++)
        stub_reset_card(i, "h100");
}
